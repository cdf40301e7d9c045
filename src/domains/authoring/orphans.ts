import type { EventContext } from '../../kernel/context.ts'
import type { Issue } from '../configuration/issues.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { ResponseType } from '../configuration/schema/catalog.ts'
import { capacitiesOf } from '../inventory/capacities.ts'
import { stockOf } from '../inventory/places.ts'
import { type Named, recordUses } from '../registration/record-uses.ts'

/** Answers of the first type read well as the second. */
const WIDENS: readonly (readonly [ResponseType, ResponseType])[] = [
  ['text', 'longText'],
  ['choice', 'multiChoice'],
  ['email', 'text'],
  ['url', 'text'],
  ['phone', 'text'],
]

interface Loss {
  named: Named
  path: string
  /** With the count and kind of records in place. */
  says: (records: string) => { message: string; hint: string }
}

/** What records name and the new configuration would no longer have. Only what the live version has can be in use, so only its losses are counted. */
export async function orphanIssues(ctx: EventContext, live: EventConfig | null, next: EventConfig): Promise<Issue[]> {
  if (!live) return []
  const losses = [...lostFields(live, next), ...lostItems(live, next)]
  const uses = await recordUses(
    ctx,
    losses.map(({ named }) => named),
  )
  const orphaned = losses.flatMap(({ named, path, says }, index) => {
    const use = uses[index]!
    if (use.count === 0) return []
    const { message, hint } = says(`${use.count} ${use.count === 1 ? use.kind.replace(/s$/, '') : use.kind}`)
    return [{ level: 'orphan', code: 'inUse', path, message, hint, value: named.code, records: use } satisfies Issue]
  })
  return [...orphaned, ...(await soldBeyond(ctx, next))]
}

/** Limits below what is held and sold already. What organizers sold beyond a limit that stays as it is, they did knowingly. */
async function soldBeyond(ctx: EventContext, next: EventConfig): Promise<Issue[]> {
  const stock = await stockOf(ctx)
  return [...capacitiesOf(next)].flatMap(([key, capacity]): Issue[] => {
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
    const message = `${capacity} is below the ${taken} that are held and sold — at least ${taken}`
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

const lost = <T>(before: readonly T[], after: readonly T[], key: (item: T) => string): T[] => {
  const kept = new Set(after.map(key))
  return before.filter((item) => !kept.has(key(item)))
}

function lostFields(live: EventConfig, next: EventConfig): Loss[] {
  const gone = lost(live.customFields, next.customFields, ({ code }) => code)
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
    ...gone.map(({ code }): Loss => ({
      named: { kind: 'customField', code },
      path: `/customFields/${code}`,
      says: (records) => ({ message: `${records} use ${code} — set retired: true instead of removing it`, hint: 'retired' }),
    })),
    ...retyped.map(({ before, after }): Loss => ({
      named: { kind: 'customField', code: before.code },
      path: `/customFields/${before.code}/responseType`,
      says: (records) => ({
        message: `${records} use ${before.code} as ${before.responseType}; ${after.responseType} does not fit them — retire it and add a new field`,
        hint: before.responseType,
      }),
    })),
    ...kept.flatMap(({ before, after }) =>
      lost(before.choices, after.choices, ({ code }) => code).map(({ code }): Loss => ({
        named: { kind: 'choice', field: before.code, code },
        path: `/customFields/${before.code}/choices/${code}`,
        says: (records) => ({ message: `${records} chose ${code} — set retired: true instead of removing it`, hint: 'retired' }),
      })),
    ),
  ]
}

const lostItems = (live: EventConfig, next: EventConfig): Loss[] => [
  ...lost(live.flows, next.flows, ({ slug }) => slug).map(({ slug }): Loss => ({
    named: { kind: 'flow', code: slug },
    path: `/flows/${slug}`,
    says: (records) => ({ message: `${records} registered through ${slug} — set retired: true instead of removing it`, hint: 'retired' }),
  })),
  ...lost(live.products, next.products, ({ code }) => code).map(({ code }): Loss => ({
    named: { kind: 'product', code },
    path: `/products/${code}`,
    says: (records) => ({ message: `${records} hold ${code} — set retired: true instead of removing it`, hint: 'retired' }),
  })),
  ...lost(live.tags, next.tags, ({ code }) => code).map(({ code }): Loss => ({
    named: { kind: 'tag', code },
    path: `/tags/${code}`,
    says: (records) => ({ message: `${records} have the tag ${code} — take it from them first, or keep it`, hint: 'keep' }),
  })),
  ...(['track', 'format', 'room'] as const).flatMap((kind) =>
    lost(live.sessions[`${kind}s`] as readonly { code: string }[], next.sessions[`${kind}s`], ({ code }) => code).map(({ code }): Loss => ({
      named: { kind, code },
      path: `/sessions/${kind}s/${code}`,
      says: (records) => ({ message: `${kind} ${code} is used by ${records} — give them another one first, or keep it`, hint: 'keep' }),
    })),
  ),
]

const OF_PROGRAM: Partial<Record<string, 'track' | 'format' | 'room'>> = { tracks: 'track', formats: 'format', rooms: 'room' }

/** The part of the configuration behind a pointer that records can name, if it is one. */
export function namedBy(pointer: string): Named | null {
  const [, section, code, list, choice] = pointer.split('/')
  if (code === undefined) return null
  if (section === 'customFields' && list === undefined) return { kind: 'customField', code }
  if (section === 'customFields' && list === 'choices' && choice !== undefined) return { kind: 'choice', field: code, code: choice }
  if (section === 'flows' && list === undefined) return { kind: 'flow', code }
  if (section === 'products' && list === undefined) return { kind: 'product', code }
  if (section === 'sessions' && list !== undefined && choice === undefined) {
    const kind = OF_PROGRAM[code]
    return kind ? { kind, code: list } : null
  }
  return section === 'tags' && list === undefined ? { kind: 'tag', code } : null
}
