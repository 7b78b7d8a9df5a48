// Prometheus metrics of one server: requests are counted when answered, other values are read on each scrape.
import type { Registry } from 'prom-client';

export interface Metrics {
  /** Counts one answered request under its operation's route, never its URL. */
  observeRequest(method: string, route: string, status: number, milliseconds: number): void;
  /** Renders all metrics in Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Values counted elsewhere. */
export interface MetricSources {
  /** Number of log lines that couldn't be written. */
  droppedLines(): number;
  /** Number of spans that the collector didn't receive. */
  droppedSpans(): number;
}

const LATENCY_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

interface RouteCount {
  method: string;
  route: string;
  status: number;
  /** Number of requests per bucket, not cumulative. The last bucket is for all slower requests. */
  buckets: number[];
  seconds: number;
}

/** Creates the metrics of a server. The library is loaded on the first scrape, because most servers are never scraped. */
export function createMetrics(sources: MetricSources): Metrics {
  // By method, then by route and status: counting costs two lookups and creates no strings.
  const counts = new Map<string, Map<string, RouteCount[]>>();
  let registry: Registry | undefined;

  return {
    observeRequest(method, route, status, milliseconds) {
      let routes = counts.get(method);
      if (routes === undefined) {
        routes = new Map();
        counts.set(method, routes);
      }
      let rows = routes.get(route);
      if (rows === undefined) {
        rows = [];
        routes.set(route, rows);
      }
      let row = rows.find((candidate) => candidate.status === status);
      if (row === undefined) {
        row = { method, route, status, buckets: Array(LATENCY_BUCKETS_SECONDS.length + 1).fill(0), seconds: 0 };
        rows.push(row);
      }
      const seconds = milliseconds / 1000;
      const place = LATENCY_BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
      const bucket = place < 0 ? LATENCY_BUCKETS_SECONDS.length : place;
      row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
      row.seconds += seconds;
    },
    async render() {
      registry ??= await createRegistry(sources);
      const rows = [...counts.values()].flatMap((routes) => [...routes.values()].flat());
      return { contentType: registry.contentType, text: `${renderRequests(rows)}${await registry.metrics()}` };
    },
  };
}

/** Renders a histogram by method, route and status in exposition format 0.0.4. Its count is the number of requests. */
function renderRequests(rows: readonly RouteCount[]): string {
  const name = 'taxiway_http_request_seconds';
  const lines = [`# HELP ${name} Answered requests by response time`, `# TYPE ${name} histogram`];
  for (const { method, route, status, buckets, seconds } of rows) {
    const labels = `method="${method}",route="${route}",status="${status}"`;
    let total = 0;
    for (const [index, amount] of buckets.entries()) {
      total += amount;
      lines.push(`${name}_bucket{${labels},le="${LATENCY_BUCKETS_SECONDS[index] ?? '+Inf'}"} ${total}`);
    }
    lines.push(`${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${total}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Creates the metrics that are read on each scrape: those of the process, and what was dropped. */
async function createRegistry({ droppedLines, droppedSpans }: MetricSources): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'taxiway_' });
  new Counter({
    name: 'taxiway_log_lines_dropped_total',
    help: "Log lines that couldn't be written",
    registers,
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  new Counter({
    name: 'taxiway_trace_spans_dropped_total',
    help: "Spans that couldn't be sent to the collector",
    registers,
    collect() {
      this.reset();
      this.inc(droppedSpans());
    },
  });
  return registry;
}
