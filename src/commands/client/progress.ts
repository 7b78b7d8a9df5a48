// A progress line on stderr: share, bytes, rate and time left. Prints nothing without a terminal.
import type { CommandHost } from '../host.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

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
    host.say(`\r${formatProgress(label, bytes, total, (drawnAt - startedAt) / 1000)}\u001b[K`);
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
function formatProgress(label: string, bytes: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : Math.min(1, bytes / total);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const rate = seconds > 0 ? bytes / seconds : 0;
  const left = rate > 0 && bytes < total ? `  ${formatDuration((total - bytes) / rate)} left` : '';
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${label} ${percent} ${bar} ${formatSize(bytes)} of ${formatSize(total)}  ${formatSize(rate)}/s${left}`;
}

/** Formats bytes, such as `512 B`, `1.5 KiB` or `500.0 MiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${Math.floor(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(1)} ${units[unit]}`;
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}
