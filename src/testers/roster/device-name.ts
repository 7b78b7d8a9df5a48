// Which device fetched a package, as far as its User-Agent tells. Untrusted text: bounded here, escaped where it is shown.

const LONGEST = 512;

/**
 * A short name such as `iPhone15,2, iOS 18.1` or `Pixel 8, Android 15`; null when nothing is said. iOS fetches packages with
 * a program of its own, which names the model; browsers hide it more and more.
 */
export function nameDevice(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, LONGEST);
  const fetcher = /\biOS\/([\d.]{1,12}) model\/([A-Za-z]{1,20}\d{1,3},\d{1,3})/.exec(text);
  if (fetcher !== null) return `${fetcher[2]}, iOS ${fetcher[1]}`;
  const android = /\bAndroid ([\d.]{1,12})(?:; ([^;)]{1,60}))?[;)]/.exec(text);
  if (android !== null) {
    const model = (android[2] ?? '').replace(/ Build\/.*$/, '').trim();
    // Chromium says K instead of every model.
    const isNamed = model !== '' && model !== 'K' && !/^(?:Mobile|Tablet|wv)$/.test(model);
    return isNamed ? `${model}, Android ${android[1]}` : `Android ${android[1]}`;
  }
  const apple = /\b(iPhone|iPad|iPod)\b[^)]*? OS (\d{1,3}(?:_\d{1,3}){0,2})/.exec(text);
  return apple === null ? null : `${apple[1]}, iOS ${apple[2]?.replaceAll('_', '.')}`;
}
