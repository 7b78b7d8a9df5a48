// The device that downloaded a package, from its User-Agent. Untrusted text: shortened here, escaped when shown.

const LONGEST = 512;

/**
 * Returns a short name such as `iPhone15,2, iOS 18.1` or `Pixel 8, Android 15`, or null if unknown. iOS downloads
 * packages with its own program, which sends the model; browsers increasingly hide it.
 */
export function nameDevice(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, LONGEST);
  const fetcher = /\biOS\/([\d.]{1,12}) model\/([A-Za-z]{1,20}\d{1,3},\d{1,3})/.exec(text);
  if (fetcher !== null) return `${fetcher[2]}, iOS ${fetcher[1]}`;
  const android = /\bAndroid ([\d.]{1,12})(?:; ([^;)]{1,60}))?[;)]/.exec(text);
  if (android !== null) {
    const model = (android[2] ?? '').replace(/ Build\/.*$/, '').trim();
    // Chromium sends K instead of the model.
    const isNamed = model !== '' && model !== 'K' && !/^(?:Mobile|Tablet|wv)$/.test(model);
    return isNamed ? `${model}, Android ${android[1]}` : `Android ${android[1]}`;
  }
  const apple = /\b(iPhone|iPad|iPod)\b[^)]*? OS (\d{1,3}(?:_\d{1,3}){0,2})/.exec(text);
  return apple === null ? null : `${apple[1]}, iOS ${apple[2]?.replaceAll('_', '.')}`;
}
