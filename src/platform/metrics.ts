// Prometheus metrics of one server: counted as requests are answered, measured where a look is cheap.
import { count, eq } from 'drizzle-orm';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from './database.ts';
import { jobs, outboxMails, sweepRuns } from './tables/tables.ts';

export interface Metrics {
  /** Counts one answered request under the route of its operation, never under its address. */
  observeRequest(method: string, route: string, status: number, milliseconds: number): void;
  /** The text format that Prometheus reads. */
  render(): Promise<{ contentType: string; text: string }>;
}

const LATENCY_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** The metrics of a server with this database. */
export function createMetrics(db: Db): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'taxiway_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'taxiway_http_request_seconds',
    help: 'Time to the answer',
    labelNames: ['method', 'route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'taxiway_jobs',
    help: 'Jobs in the queue by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const state of ['waiting', 'dead'] as const) {
        this.set({ state }, db.select({ total: count() }).from(jobs).where(eq(jobs.state, state)).get()?.total ?? 0);
      }
    },
  });
  new Gauge({
    name: 'taxiway_mails',
    help: 'Mails in the outbox by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      const rows = db.select({ state: outboxMails.state, total: count() }).from(outboxMails).groupBy(outboxMails.state);
      for (const { state, total } of rows.all()) this.set({ state }, total);
    },
  });
  new Gauge({
    name: 'taxiway_sweep_last_run_timestamp_seconds',
    help: 'When each sweep last ran',
    labelNames: ['sweep', 'result'],
    registers,
    collect() {
      this.reset();
      for (const { name, startedAt, error } of db.select().from(sweepRuns).all()) {
        this.set({ sweep: name, result: error === null ? 'done' : 'failed' }, startedAt / 1000);
      }
    },
  });

  let hasDefaults = false;
  return {
    observeRequest(method, route, status, milliseconds) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, milliseconds / 1000);
    },
    async render() {
      if (!hasDefaults) collectDefaultMetrics({ register: registry, prefix: 'taxiway_' });
      hasDefaults = true;
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
