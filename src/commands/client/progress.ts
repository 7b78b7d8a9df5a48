// A progress line on stderr: share, bytes, rate and time left. Prints nothing without a terminal.
import { formatBytes } from '../../lib/formats.ts';
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
  return `${label} ${percent} ${bar} ${formatBytes(bytes, 'en')} of ${formatBytes(total, 'en')}  ${formatBytes(rate, 'en')}/s${left}`;
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}
