import type { Log, LogFields } from '../kernel/ports.ts'

const LEVELS = ['info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

/** The fields that are written. Others are dropped, even if a caller passes them. */
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

/** Buffers one line per entry and writes them together; an error is written immediately, with everything before it. */
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
    pending += format === 'json' ? jsonLine(at, message, fields) : prettyLine(at, message, fields)
    if (at === 'error') flush()
  }
  return {
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
    flush,
  }
}

/** Built by hand: an intermediate object would cost twice as much, and every request writes a line. */
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

/** Cached, because many lines share a millisecond. */
function timeNow(): string {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastTime = new Date(now).toISOString()
  }
  return lastTime
}

function prettyLine(level: Level, message: string, fields: LogFields): string {
  const { stack, ...rest } = fields
  const shown = FIELDS.filter((name) => name !== 'stack' && rest[name as keyof typeof rest] !== undefined).map(
    (name) => `${name}=${fields[name]}`,
  )
  return `${timeNow().slice(11, 23)} ${level.padEnd(5)} ${message} ${shown.join(' ')}\n${stack ? `${stack}\n` : ''}`
}
