import { AppError } from '../../kernel/errors.ts'
import { describeInvalidId, getMcpEndpointKind, describeIdSource, ID_KINDS, type IdKindName } from '../../kernel/id-kinds.ts'
import type { InputShape } from '../../kernel/input-shape.ts'
import type { Tool } from '../../kernel/tool.ts'
import { type CallArguments, isPlainObject } from './decode-arguments.ts'

interface GivenReference {
  argument: string
  kind: IdKindName | undefined
  value: string
}

/** Arguments that hold the number of a record (such as an invoice number), with the words for that number in error messages. */
const NUMBER_ARGUMENTS: Record<string, string> = {
  orderNumber: 'an order number',
  invoiceNumber: 'an invoice number',
  invoiceNumbers: 'an invoice number',
}

/** Lists all ids and numbers of records in the arguments, at any depth. */
function listReferences(shape: InputShape, value: unknown, argument = ''): GivenReference[] {
  if (typeof value === 'string') {
    return shape.reference || Object.hasOwn(NUMBER_ARGUMENTS, argument) ? [{ argument, kind: shape.kind, value: value.trim() }] : []
  }
  if (Array.isArray(value)) return value.flatMap((item) => listReferences(shape.items ?? {}, item, argument))
  if (!isPlainObject(value)) return []
  return Object.entries(value).flatMap(([name, part]) =>
    shape.properties && Object.hasOwn(shape.properties, name) ? listReferences(shape.properties[name]!, part, name) : [],
  )
}

/** Looks up which kind of record each id belongs to, for records that the caller may read. */
type Identify = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/**
 * If the id in a `not_found` error belongs to another kind of record, appends to the message which kind that is, and which tool lists ids
 * of the right kind.
 */
export async function explainUnknownIds(error: AppError, tool: Tool, sent: CallArguments, identify: Identify): Promise<AppError> {
  if (error.code !== 'not_found') return error
  const all = listReferences(tool.shape, sent)
  const message = error.message.toLowerCase()
  const named = all.filter(({ value }) => message.includes(value.toLowerCase()))
  const unknown = named.length > 0 ? named : all
  if (unknown.length === 0) return error
  const kinds = await identify(unknown.map(({ value }) => value.toLowerCase()))
  const wrong = unknown.filter((reference) => !isOfOwnKind(reference, kinds))
  const given = wrong.flatMap((reference) => {
    const kind = describeOtherKind(reference, kinds)
    return kind === null ? [] : [`${reference.value} is ${kind}`]
  })
  const { fix } = error.details
  const sources = wrong.flatMap(({ argument, kind }) => describeIdSource(argument, kind, getMcpEndpointKind(tool.scope)) ?? [])
  const source = fix ? undefined : sources.find((text) => !/\w+_\w+/.exec(text)?.some((name) => error.message.includes(name)))
  return new AppError(error.code, [error.message, ...new Set(given)].join(error.message.endsWith('.') ? ' ' : '. '), {
    ...error.details,
    ...(source === undefined ? {} : { fix: { say: source } }),
  })
}

const isOfOwnKind = ({ kind, value }: GivenReference, kinds: ReadonlyMap<string, string>) =>
  kind !== undefined && kinds.get(value.toLowerCase()) === ID_KINDS[kind].noun

function describeOtherKind({ argument, value }: GivenReference, kinds: ReadonlyMap<string, string>): string | null {
  const noun = kinds.get(value.toLowerCase())
  if (noun !== undefined) return `the id of ${noun}`
  const form = describeInvalidId(value)
  return form === null || form === NUMBER_ARGUMENTS[argument] || form === 'an email address' || form === 'a name' ? null : form
}
