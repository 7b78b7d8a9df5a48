// Sends a file with PUT, in the page or in a worker.

export interface Sending {
  url: string;
  headers: Record<string, string>;
  file: File;
}

/** Resolves with the HTTP status; 0 if there was no response. Rejects with the reason of the signal. */
export function sendFile(
  { url, headers, file }: Sending,
  { signal, onSent }: { signal?: AbortSignal; onSent(bytes: number): void },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => resolve(request.status);
    request.onerror = () => resolve(0);
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    if (signal?.aborted) reject(signal.reason);
    else request.send(file);
  });
}
