import { styleText } from 'node:util'
import { cleanName } from '../kernel/clean-text.ts'
import type { LogFields } from '../kernel/ports.ts'

type Style = 'red' | 'yellow' | 'green' | 'dim'

/** Colors a text, but only in a terminal and not if NO_COLOR is set. */
const paint = (style: Style, text: string) => styleText(style, text)

/** Names of the log fields that are shown as details, in this order. Log lines of requests have fixed columns instead. */
const DETAILS = ['name', 'job', 'tool', 'count', 'outcome', 'tenant', 'client', 'event', 'principal', 'reference', 'requestId'] as const

/** Formats a log line for people: local time, then what happened, then details. */
export function formatReadableLogLine(level: 'info' | 'warn' | 'error', message: string, fields: LogFields): string {
  const time = paint('dim', new Date().toTimeString().slice(0, 8))
  if (message === 'request') return `${time}  ${formatRequest(fields)}\n`
  const { error, stack, route } = fields
  const label = level === 'info' ? '' : `${paint(level === 'error' ? 'red' : 'yellow', level.padEnd(5))}  `
  const details = [...(route === undefined ? [] : [route]), ...listDetails(fields)].join('  ')
  const line = `${time}  ${label}${oneLine(message)}${error ? `: ${oneLine(error)}` : ''}${details === '' ? '' : `  ${paint('dim', details)}`}`
  return `${line}\n${stack ? formatStack(stack) : ''}`
}

/** Formats the log line of a request. The id of a failed request is added, to find other log lines about the request. */
function formatRequest({ requestId, method = '', status = 0, ms = 0, route = '', ...rest }: LogFields): string {
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const details = listDetails(status >= 400 ? { ...rest, requestId } : rest).join('  ')
  const columns = [method.padEnd(6), paint(style, String(status)), `${Math.round(ms)} ms`.padStart(8), oneLine(route)]
  return `${columns.join('  ')}${details === '' ? '' : `  ${paint('dim', details)}`}`
}

const listDetails = (fields: LogFields | (Omit<LogFields, 'requestId'> & { requestId?: string | undefined })): string[] =>
  DETAILS.flatMap((name) => (fields[name] === undefined || fields[name] === '' ? [] : [`${name}=${oneLine(String(fields[name]))}`]))

/** Removes line breaks and control characters from a value, because they could imitate a log line or change the terminal. */
const oneLine = cleanName

/** Formats the stack of an error without its first lines, which repeat the message. */
const formatStack = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => `${paint('dim', `            ${oneLine(line)}`)}\n`)
    .join('')
