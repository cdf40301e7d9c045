import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Database } from '../../kernel/ports.ts'
import { readWorkBacklog } from './backlog.ts'

const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 20_000]

interface Series {
  count: number
  sum: number
  buckets: number[]
}

export interface Metrics {
  request: (labels: { route: string; status: number }, ms: number) => void
  toolCall: (labels: { tool: string; outcome: string }, ms: number) => void
  render: () => Promise<string>
}

/** Metrics by route, tool and outcome in the Prometheus text format. Labels never contain a person, tenant or code. */
export function createMetrics(database: Database): Metrics {
  const requests = new Map<string, Series>()
  const calls = new Map<string, Series>()
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    request: ({ route, status }, ms) => observe(requests, `route="${route}",status="${status}"`, ms),
    toolCall: ({ tool, outcome }, ms) => observe(calls, `tool="${tool}",outcome="${outcome}"`, ms),
    async render() {
      const { open, idle, waiting } = database.pool.usage()
      const { outboxAgeSeconds, outboxQueued, jobAgeSeconds, jobsQueued, webhookAgeSeconds, webhooksFailing } =
        await readWorkBacklog(database)
      return [
        ...histogram('lanyard_http_request_duration_ms', 'Requests by route and status', requests),
        ...histogram('lanyard_tool_call_duration_ms', 'Tool calls by outcome', calls),
        ...gauge('lanyard_pool_connections', 'Database connections', {
          'state="open"': open,
          'state="idle"': idle,
          'state="waiting"': waiting,
        }),
        ...gauge('lanyard_event_loop_delay_ms', 'Event loop delay', { 'quantile="0.99"': delay.percentile(99) / 1e6 }),
        ...gauge('lanyard_outbox_age_seconds', 'Age of the oldest email that is due', { '': outboxAgeSeconds }),
        ...gauge('lanyard_outbox_messages', 'Emails that are due', { '': outboxQueued }),
        ...gauge('lanyard_queue_age_seconds', 'Age of the oldest queued job', { '': jobAgeSeconds }),
        ...gauge('lanyard_queue_jobs', 'Queued jobs', { '': jobsQueued }),
        ...gauge('lanyard_webhook_age_seconds', 'Age of the oldest message that is due to a working receiver', {
          '': webhookAgeSeconds,
        }),
        ...gauge('lanyard_webhooks_failing', 'Webhooks with a failing receiver', { '': webhooksFailing }),
        '',
      ].join('\n')
    },
  }
}

function observe(series: Map<string, Series>, labels: string, ms: number): void {
  let one = series.get(labels)
  if (!one) series.set(labels, (one = { count: 0, sum: 0, buckets: BUCKETS_MS.map(() => 0) }))
  one.count++
  one.sum += ms
  const bucket = BUCKETS_MS.findIndex((limit) => ms <= limit)
  if (bucket >= 0) one.buckets[bucket]!++
}

function histogram(name: string, help: string, all: Map<string, Series>): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
  for (const [labels, { count, sum, buckets }] of all) {
    let below = 0
    for (const [i, limit] of BUCKETS_MS.entries()) lines.push(`${name}_bucket{${labels},le="${limit}"} ${(below += buckets[i]!)}`)
    lines.push(
      `${name}_bucket{${labels},le="+Inf"} ${count}`,
      `${name}_sum{${labels}} ${sum.toFixed(3)}`,
      `${name}_count{${labels}} ${count}`,
    )
  }
  return lines
}

function gauge(name: string, help: string, values: Record<string, number>): string[] {
  const rows = Object.entries(values).map(([labels, value]) => `${name}${labels ? `{${labels}}` : ''} ${Number(value.toFixed(3))}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...rows]
}
