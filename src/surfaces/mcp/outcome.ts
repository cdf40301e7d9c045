import type { Picture } from '../../kernel/context.ts'
import type { AppError, Fix } from '../../kernel/errors.ts'

/** What a call came to, before it is put on a wire. */
export type Outcome =
  | { kind: 'result'; json: string; pictures: readonly Picture[]; untrusted: readonly string[]; replayed?: boolean }
  | { kind: 'error'; error: AppError }

/** The members of an MCP tool result as JSON text, without the outer braces; `_meta` may be joined by the transport's own. */
export function resultMembers(outcome: Outcome, meta: Record<string, unknown> = {}): string {
  if (outcome.kind === 'error') {
    const { error } = outcome
    const all = JSON.stringify({ ...meta, 'lanyard/error': machineCopy(error) })
    return `"content":[{"type":"text","text":${JSON.stringify(errorText(error))}}],"isError":true,"_meta":${all}`
  }
  const { json, pictures, untrusted, replayed } = outcome
  const blocks = pictures
    .map((p) => `,${JSON.stringify({ type: 'image', data: p.data.toString('base64'), mimeType: p.mimeType })}`)
    .join('')
  const own = {
    ...meta,
    ...(untrusted.length > 0 ? { 'lanyard/untrusted': untrusted } : {}),
    ...(replayed ? { 'lanyard/replayed': true } : {}),
  }
  const tail = Object.keys(own).length > 0 ? `,"_meta":${JSON.stringify(own)}` : ''
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}${blocks}],"structuredContent":${json}${tail}`
}

/** The sentence, then the way out of it. */
export function errorText({ message, details: { fix } }: AppError): string {
  if (!fix) return message
  return `${message}\nFix: ${fixInWords(fix)}`
}

function fixInWords(fix: Fix): string {
  if ('say' in fix) return fix.say
  return 'ask' in fix ? `ask the person ${fix.ask}` : `call ${fix.tool} with ${JSON.stringify(fix.arguments)}`
}

/** The reason stays here: it is for pages of ours, and the code and the sentence are what callers were promised. */
function machineCopy({ code, message, details: { fix, reason: _reason, ...details } }: AppError) {
  return { code, message, ...details, ...(fix && 'tool' in fix ? { fix } : {}) }
}
