// Toasts.
import { notifications } from '@mantine/notifications';

/** Shows that an action succeeded. */
export function showSuccess(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 4000, withBorder: true });
}
