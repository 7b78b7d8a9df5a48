// The text of a health check, with times and sizes as on the rest of the page.
import { formatBytes } from '../../../lib/formats.ts';
import type { SystemFindings } from '../../../system/schema.ts';
import { formatExact } from '../../components/times.ts';
import { replaceProgramName } from '../../shell/program-name.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale } from '../../texts/locale.ts';

const TIME_OR_SIZE = /(\d{4}-\d\d-\d\dT[\d:.]+Z|\d+ MiB)/;
const MEBIBYTE = 1_048_576;

export function FindingText({ finding }: { finding: SystemFindings['findings'][number] }) {
  const { language, texts } = useLocale();
  const { program } = useServerInfo();
  const parts = replaceProgramName(texts.system.finding(finding), program).split(TIME_OR_SIZE);
  const shown = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    // Exact, because the sentences compare times.
    return part.endsWith('Z') ? formatExact(Date.parse(part), language) : formatSize(part, language);
  });
  return <>{shown.join('')}</>;
}

function formatSize(text: string, language: string): string {
  return formatBytes(Number.parseInt(text, 10) * MEBIBYTE, language);
}
