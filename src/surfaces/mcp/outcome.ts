import { createHash } from 'node:crypto'
import type { ResultImage } from '../../kernel/context.ts'
import type { AppError, ErrorFix } from '../../kernel/errors.ts'
import type { ValidatedToolResult } from './shape-result.ts'

/** The outcome of a tool call, before serialization. */
export type ToolCallOutcome =
  | ({ kind: 'result'; pictures: readonly ResultImage[]; replayed?: boolean } & ValidatedToolResult)
  | { kind: 'error'; error: AppError }

/** The members of an MCP tool result as JSON text, without the outer braces. The transport may add to `_meta`. */
export function serializeResultFields(outcome: ToolCallOutcome, meta: Record<string, unknown> = {}): string {
  if (outcome.kind === 'error') {
    const { error } = outcome
    const all = JSON.stringify({ ...meta, 'lanyard/error': toErrorMeta(error) })
    return `"content":[{"type":"text","text":${JSON.stringify(formatErrorWithFix(error))}}],"isError":true,"_meta":${all}`
  }
  const { json, pictures, untrusted, replayed } = outcome
  const blocks = pictures.map((picture) => `,${JSON.stringify(toContentBlock(picture))}`).join('')
  const own = {
    ...meta,
    ...(untrusted.length > 0 ? { 'lanyard/untrusted': untrusted } : {}),
    ...(replayed ? { 'lanyard/replayed': true } : {}),
  }
  const tail = Object.keys(own).length > 0 ? `,"_meta":${JSON.stringify(own)}` : ''
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${blocks}],"structuredContent":${json}${tail}`
}

/**
 * Converts an image to a content block. Assistants do not show SVG as an image, so it is an embedded resource, whose address is derived
 * from its content and cannot be opened.
 */
function toContentBlock({ mimeType, data }: ResultImage): Record<string, unknown> {
  if (mimeType !== 'image/svg+xml') return { type: 'image', data: data.toString('base64'), mimeType }
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 32)
  return { type: 'resource', resource: { uri: `urn:lanyard:picture:${digest}`, mimeType, text: data.toString() } }
}

/** The error message, followed by how to fix it. */
export function formatErrorWithFix({ message, details: { fix } }: AppError): string {
  if (!fix) return message
  return `${message}\nFix: ${formatFix(fix)}`
}

function formatFix(fix: ErrorFix): string {
  if ('say' in fix) return fix.say
  return 'ask' in fix ? `ask the person ${fix.ask}` : `call ${fix.tool} with ${JSON.stringify(fix.arguments)}`
}

/**
 * Builds the `_meta` of an error. Machine-readable reasons are omitted, because only our own pages use them; callers rely on code and
 * message.
 */
function toErrorMeta({ code, message, details: { fix, fields, reason: _reason, pageReason: _pageReason, ...details } }: AppError) {
  return {
    code,
    message,
    ...details,
    ...(fields ? { fields: fields.map(({ reason: _own, ...field }) => field) } : {}),
    ...(fix && 'tool' in fix ? { fix } : {}),
  }
}
