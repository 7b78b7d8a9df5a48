// Shows toasts.
import { Notifications } from '@mantine/notifications';

export function Toasts() {
  return <Notifications position="bottom-center" limit={4} />;
}
