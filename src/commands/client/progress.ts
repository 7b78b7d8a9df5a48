// A progress line on stderr: share, bytes, rate and time left. Prints nothing without a terminal.
import { formatBytes } from '../../lib/formats.ts';
import type { CommandHost } from '../host.ts';
import { drawLine } from '../terminal-line.ts';

const REDRAW_MS = 100;
/** Widths of the bar; 0 for none. */
const BAR_WIDTHS = [24, 12, 0];

export interface Progress {
  /** Sets the number of bytes transferred since the start. */
  report(bytes: number): void;
  /** Starts over, for another attempt. */
  restart(): void;
  /** Leaves the last state on the screen and ends the line. */
  finish(): void;
}

export function createProgress(host: CommandHost, label: string, total: number): Progress {
  let startedAt = host.now();
  let drawnAt = 0;
  let bytes = 0;
  let isDrawn = false;

  function draw(): void {
    if (!host.isStderrTerminal) return;
    drawnAt = host.now();
    isDrawn = true;
    const seconds = (drawnAt - startedAt) / 1000;
    const texts = BAR_WIDTHS.map((width) => formatProgress(label, bytes, total, seconds, width));
    const withoutRate = texts.at(-1)?.replace(/ {2}[\d.]+ \w+\/s.*/, '') ?? '';
    drawLine(host, [...texts, withoutRate]);
  }

  return {
    report(sent) {
      bytes = sent;
      if (host.now() - drawnAt >= REDRAW_MS) draw();
    },
    restart() {
      startedAt = host.now();
      bytes = 0;
    },
    finish() {
      draw();
      if (isDrawn) host.say('\n');
      isDrawn = false;
    },
  };
}

/** Returns a line such as `uploading 50% ████░░░░ 5.0 of 10.0 MiB 2.5 MiB/s 0:02 left`. */
function formatProgress(label: string, bytes: number, total: number, seconds: number, barWidth: number): string {
  const share = total === 0 ? 1 : Math.min(1, bytes / total);
  const filled = Math.floor(share * barWidth);
  const bar = barWidth === 0 ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `;
  const rate = seconds > 0 ? bytes / seconds : 0;
  const left = rate > 0 && bytes < total ? `  ${formatDuration((total - bytes) / rate)} left` : '';
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${label} ${percent} ${bar}${formatBytes(bytes, 'en')} of ${formatBytes(total, 'en')}  ${formatBytes(rate, 'en')}/s${left}`;
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}
