import { hideSecrets } from '../kernel/hide-secrets.ts'
import type { Log, LogFields } from '../kernel/ports.ts'
import { formatReadableLogLine } from './pretty-line.ts'

const LEVELS = ['info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

/** The fields of a log line. Other fields are dropped, even if a caller passes them. */
const FIELDS = [
  'requestId',
  'method',
  'route',
  'status',
  'ms',
  'tenant',
  'client',
  'event',
  'principal',
  'tool',
  'outcome',
  'job',
  'name',
  'count',
  'reference',
  'error',
  'stack',
] as const satisfies readonly (keyof LogFields)[]

export interface LogOptions {
  level: Level
  format: 'pretty' | 'json'
  write?: (text: string) => void
}

/** Lines are buffered for this long: one write per line would cost a tenth of a request. */
const GATHER_MS = 10

/** Creates a log that buffers its lines and writes them together; an error is written immediately, with all lines before it. */
export function createLog({ level, format, write = (text) => process.stdout.write(text) }: LogOptions): Log & { flush: () => void } {
  let pending = ''
  const flush = () => {
    if (pending === '') return
    const text = pending
    pending = ''
    write(text)
  }
  const line = (at: Level, message: string, fields: LogFields = {}) => {
    if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return
    if (pending === '') setTimeout(flush, GATHER_MS)
    const shown = fields.error === undefined && fields.stack === undefined ? fields : withoutSecrets(fields)
    pending += format === 'json' ? jsonLine(at, message, shown) : formatReadableLogLine(at, message, shown)
    if (at === 'error') flush()
  }
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
    flush,
  }
}

/** Removes credentials from the error and stack of a log line. All other fields are ids, names and numbers. */
const withoutSecrets = (fields: LogFields): LogFields => ({
  ...fields,
  ...(fields.error === undefined ? {} : { error: hideSecrets(fields.error) }),
  ...(fields.stack === undefined ? {} : { stack: hideSecrets(fields.stack) }),
})

/** Builds a line of JSON by hand: an intermediate object would cost twice as much, and every request writes a line. */
function jsonLine(level: Level, message: string, fields: LogFields): string {
  let line = `{"time":"${timeNow()}","level":"${level}","message":${JSON.stringify(message)}`
  for (const name of FIELDS) {
    const value = fields[name]
    if (value !== undefined) line += `,"${name}":${typeof value === 'number' ? value : JSON.stringify(value)}`
  }
  return `${line}}\n`
}

let lastMs = 0
let lastTime = ''

/** Returns the current time as text, which is cached because many lines share a millisecond. */
function timeNow(): string {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastTime = new Date(now).toISOString()
  }
  return lastTime
}
