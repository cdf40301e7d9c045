import type { EventContext } from '../../kernel/context.ts'
import type { ConfigIssue } from '../configuration/issues.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { QuestionResponseType } from '../configuration/schema/catalog.ts'
import { listCapacities } from '../inventory/capacities.ts'
import { readStockLevels } from '../inventory/units.ts'
import { type ConfigItemReference, countConfigItemUses } from '../registration/sale/record-uses.ts'

/** Changes of a question's answer type (old type, new type) after which existing answers stay valid. */
const WIDENS: readonly (readonly [QuestionResponseType, QuestionResponseType])[] = [
  ['text', 'longText'],
  ['choice', 'multiChoice'],
  ['email', 'text'],
  ['url', 'text'],
  ['phone', 'text'],
]

interface LostItem {
  named: ConfigItemReference
  path: string
  /** Builds the issue's message from the number and kind of records, such as "3 participants". */
  describe: (records: string) => { message: string; hint: string }
}

/**
 * Finds items that records use and the new configuration lacks. Only items of the live version can be in use, so only those are counted.
 */
export async function findOrphanedRecordIssues(ctx: EventContext, live: EventConfig | null, next: EventConfig): Promise<ConfigIssue[]> {
  if (!live) return []
  const losses = [...lostFields(live, next), ...lostItems(live, next)]
  const uses = await countConfigItemUses(
    ctx,
    losses.map(({ named }) => named),
  )
  const orphaned = losses.flatMap(({ named, path, describe }, index) => {
    const use = uses[index]!
    if (use.count === 0) return []
    const { message, hint } = describe(`${use.count} ${use.count === 1 ? use.kind.replace(/s$/, '') : use.kind}`)
    return [{ level: 'orphan', code: 'inUse', path, message, hint, value: named.code, records: use } satisfies ConfigIssue]
  })
  return [...orphaned, ...(await findOversoldLimits(ctx, next))]
}

/**
 * Finds capacity limits below the number of seats already held and sold. Unchanged limits are not reported, because organizers may
 * oversell deliberately.
 */
async function findOversoldLimits(ctx: EventContext, next: EventConfig): Promise<ConfigIssue[]> {
  const stock = await readStockLevels(ctx)
  return [...listCapacities(next)].flatMap(([key, capacity]): ConfigIssue[] => {
    const counted = stock.get(key)
    const taken = counted ? counted.held + counted.sold : 0
    if (capacity === null || taken <= capacity || counted?.capacity === capacity) return []
    const [kind, code] = key.split(':')
    const path =
      kind === 'event'
        ? '/details/capacity'
        : kind === 'flow'
          ? `/flows/${code}/capacity`
          : kind === 'product'
            ? `/products/${code}/capacity`
            : `/discounts/${code}/maxUses`
    const message = `${capacity} is below the ${taken} held and sold — set at least ${taken}`
    return [
      {
        level: 'orphan',
        code: 'belowSold',
        path,
        message,
        hint: String(taken),
        value: String(capacity),
        records: { kind: 'orders', count: taken },
      },
    ]
  })
}

const findLost = <T>(before: readonly T[], after: readonly T[], key: (item: T) => string): T[] => {
  const kept = new Set(after.map(key))
  return before.filter((item) => !kept.has(key(item)))
}

function lostFields(live: EventConfig, next: EventConfig): LostItem[] {
  const removedFields = findLost(live.customFields, next.customFields, ({ code }) => code)
  const byCode = new Map(next.customFields.map((field) => [field.code, field]))
  const kept = live.customFields.flatMap((before) => {
    const after = byCode.get(before.code)
    return after ? [{ before, after }] : []
  })
  const retyped = kept.filter(
    ({ before, after }) =>
      before.responseType !== after.responseType && !WIDENS.some(([from, to]) => from === before.responseType && to === after.responseType),
  )
  return [
    ...removedFields.map(({ code }): LostItem => ({
      named: { kind: 'customField', code },
      path: `/customFields/${code}`,
      describe: (records) => ({ message: `${records} use ${code} — set retired: true instead of removing it`, hint: 'retired' }),
    })),
    ...retyped.map(({ before, after }): LostItem => ({
      named: { kind: 'customField', code: before.code },
      path: `/customFields/${before.code}/responseType`,
      describe: (records) => ({
        message: `${records} use ${before.code} as ${before.responseType}; ${after.responseType} does not fit them — retire it and add a new field`,
        hint: before.responseType,
      }),
    })),
    ...kept.flatMap(({ before, after }) =>
      findLost(before.choices, after.choices, ({ code }) => code).map(({ code }): LostItem => ({
        named: { kind: 'choice', field: before.code, code },
        path: `/customFields/${before.code}/choices/${code}`,
        describe: (records) => ({ message: `${records} chose ${code} — set retired: true instead of removing it`, hint: 'retired' }),
      })),
    ),
  ]
}

const lostItems = (live: EventConfig, next: EventConfig): LostItem[] => [
  ...findLost(live.flows, next.flows, ({ slug }) => slug).map(({ slug }): LostItem => ({
    named: { kind: 'flow', code: slug },
    path: `/flows/${slug}`,
    describe: (records) => ({
      message: `${records} registered through ${slug} — set retired: true instead of removing it`,
      hint: 'retired',
    }),
  })),
  ...findLost(live.products, next.products, ({ code }) => code).map(({ code }): LostItem => ({
    named: { kind: 'product', code },
    path: `/products/${code}`,
    describe: (records) => ({ message: `${records} include ${code} — set retired: true instead of removing it`, hint: 'retired' }),
  })),
  ...findLost(live.tags, next.tags, ({ code }) => code).map(({ code }): LostItem => ({
    named: { kind: 'tag', code },
    path: `/tags/${code}`,
    describe: (records) => ({ message: `${records} have the tag ${code} — remove it from them first, or keep it`, hint: 'keep' }),
  })),
  ...(['track', 'format', 'room'] as const).flatMap((kind) =>
    findLost(live.sessions[`${kind}s`] as readonly { code: string }[], next.sessions[`${kind}s`], ({ code }) => code).map(
      ({ code }): LostItem => ({
        named: { kind, code },
        path: `/sessions/${kind}s/${code}`,
        describe: (records) => ({
          message: `${kind} ${code} is used by ${records} — assign another one to them first, or keep it`,
          hint: 'keep',
        }),
      }),
    ),
  ),
]

const PROGRAM_LISTS: Partial<Record<string, 'track' | 'format' | 'room'>> = { tracks: 'track', formats: 'format', rooms: 'room' }

/** Returns the kind and code under which records refer to the item at a pointer; null if records cannot refer to it. */
export function toRecordReference(pointer: string): ConfigItemReference | null {
  const [, section, code, list, choice] = pointer.split('/')
  if (code === undefined) return null
  if (section === 'customFields' && list === undefined) return { kind: 'customField', code }
  if (section === 'customFields' && list === 'choices' && choice !== undefined) return { kind: 'choice', field: code, code: choice }
  if (section === 'flows' && list === undefined) return { kind: 'flow', code }
  if (section === 'products' && list === undefined) return { kind: 'product', code }
  if (section === 'sessions' && list !== undefined && choice === undefined) {
    const kind = PROGRAM_LISTS[code]
    return kind ? { kind, code: list } : null
  }
  return section === 'tags' && list === undefined ? { kind: 'tag', code } : null
}
