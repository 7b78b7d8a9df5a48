// A worker that sends a file to the container of an organization. The server delivers this script with a policy of its own that
// allows requests to that container, so that the page can't send anything there.
import { type Sending, sendFile } from './send-file.ts';

interface WorkerScope {
  onmessage: ((event: MessageEvent<Sending>) => void) | null;
  postMessage(message: UploadMessage): void;
}
export type UploadMessage = { sent: number } | { status: number };
const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  void sendFile(data, { onSent: (sent) => scope.postMessage({ sent }) }).then((status) =>
    scope.postMessage({ status }),
  );
};
