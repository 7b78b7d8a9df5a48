// Short words in the corner about what was done.
import { notifications } from '@mantine/notifications';

/** Says that something worked. */
export function sayDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 4000, withBorder: true });
}
