import type { Condition, ConditionLeaf } from '../../../kernel/conditions.ts'
import type { InParts } from '../../../kernel/turns.ts'
import { parseDecimal } from '../../../kernel/money.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { isDay, parseInstant } from '../../../kernel/time.ts'
import { bindingType } from '../data-fields.ts'
import { leavesOf } from '../flow/classes.ts'
import { indexOf } from '../flow/collects.ts'
import { conditionInWords } from '../labels.ts'
import type { Operation } from '../operations.ts'
import type { ResponseType } from '../schema/catalog.ts'
import type { EventConfig } from '../schema/event-config.ts'
import { TERMINAL_TYPES } from '../schema/widgets.ts'
import { conditionedIn, moved, troublesOf } from './order.ts'
import { remove, set } from './repairs.ts'
import {
  answerName,
  error,
  type Finding,
  filledIn,
  isCollected,
  listed,
  type Look,
  pageName,
  type PagePlace,
  type Place,
  placeName,
} from './scene.ts'

/** F07 and F08: conditions that cannot come out as they were meant. */
export function* reviewConditions(look: Look): InParts<Finding[]> {
  const findings: Finding[] = []
  let moves = 0
  for (const { at, condition, late, never } of conditionedIn(look)) {
    yield
    const path = `${at.path}/showWhen`
    const misfits = leavesOf(condition).flatMap((leaf) => misfitOf(look.config, leaf) ?? [])
    const owner = 'widget' in at ? placeName(look, at) : pageName(at.page)
    const repaired = repairOf(path, condition, { unknown: new Set([...late, ...never]), misfits })
    if (late.length + never.length > 0) {
      const asked = [
        ...(late.length > 0 ? [`${named(look, late)}, which is only asked later`] : []),
        ...(never.length > 0 ? [`${named(look, never)}, which this flow never asks`] : []),
      ]
      // Somebody who is moved keeps the condition; where that cannot be mended by order, what cannot come true is taken out of it.
      const move = never.length === 0 && misfits.length === 0 && moves++ < MAX_MOVES ? moveOf(look, at, late) : null
      findings.push(error('F07', path, `The condition of ${owner} looks at ${listed(asked)}.`, move ?? repaired))
    }
    if (misfits.length > 0) {
      const why = misfits.map(({ leaf, says }) => `"${conditionInWords(leaf)}": ${says}`).join('; ')
      const mendable = misfits.every(({ instead, leaf }) => instead !== null || late.includes(leaf.binding) || never.includes(leaf.binding))
      findings.push(
        error('F08', path, `The condition of ${owner} does not fit what people can answer — ${why}.`, mendable ? repaired : null),
      )
    }
  }
  return findings
}

/** Whether a move helps takes a look at the whole flow. A flow with so much in the wrong order is not mended by moves. */
const MAX_MOVES = 20

const named = ({ scene }: Look, bindings: readonly string[]) => listed(bindings.map((binding) => answerName(scene, binding)))

interface Misfit {
  leaf: ConditionLeaf
  says: string
  /** What was most likely meant. */
  instead: ConditionLeaf | null
}

/** Puts what was meant in place of what does not fit, and drops what is never known. A group that is empty then goes too. */
function repairOf(
  path: string,
  condition: Condition,
  { unknown, misfits }: { unknown: ReadonlySet<string>; misfits: readonly Misfit[] },
): Operation[] {
  const instead = new Map(misfits.map((misfit) => [misfit.leaf, misfit.instead]))
  const mend = (node: Condition): Condition | null => {
    const key = 'all' in node ? 'all' : 'any' in node ? 'any' : null
    if (key === null) return unknown.has((node as ConditionLeaf).binding) ? null : (instead.get(node as ConditionLeaf) ?? node)
    const kept = (node as Record<'all' | 'any', readonly Condition[]>)[key].flatMap((inner) => mend(inner) ?? [])
    return kept.length > 0 ? ({ [key]: kept } as unknown as Condition) : null
  }
  const mended = mend(condition)
  return mended === null ? [remove(path)] : [set(path, mended)]
}

/** Behind the place that asks, if the flow is in better order then. */
function moveOf(look: Look, at: PagePlace | Place, late: readonly string[]): Operation[] | null {
  const { places, pages, config, flow, scene } = look
  const askers = late.map((binding) =>
    places.find((place) => place !== at && isCollected(binding, new Set(place.collected.map((one) => one.binding)))),
  )
  if (askers.includes(undefined)) return null
  const last = (askers as Place[]).toSorted((a, b) => b.order - a.order)[0]!
  const own = 'widget' in at ? [at.widget] : at.page.widgets
  if (own.some(({ type }) => TERMINAL_TYPES.includes(type))) return null
  const filled = filledIn(scene, flow)
  const operation: Operation =
    'widget' in at
      ? { op: 'move', path: at.path, after: last.widget.id, ...(last.page === at.page ? {} : { to: `${last.pagePath}/widgets` }) }
      : { op: 'move', path: at.path, after: pages[last.pageIndex]!.page.code }
  if (!('widget' in at) && last.page === at.page) return null
  const next = 'widget' in at ? moved.widget(flow, at.widget, { after: last.widget }) : moved.page(flow, at.page, last.page)
  return troublesOf(config, next, filled) < troublesOf(config, flow, filled) ? [operation] : null
}

const TEXTS: ReadonlySet<ResponseType | 'list'> = new Set(['text', 'longText', 'email', 'phone', 'url'] as const)
const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Why a comparison cannot mean anything for answers of its type; null when it can. */
function misfitOf(config: EventConfig, leaf: ConditionLeaf): Misfit | null {
  const { binding, op, value } = leaf
  const type = bindingType(config, binding)
  if (type === null || op === 'isSet' || op === 'isNotSet') return null
  const misfit = (says: string, instead: ConditionLeaf | null = null): Misfit => ({ leaf, says, instead })
  if ((op === 'gt' || op === 'lt') && type !== 'number' && type !== 'date') {
    return misfit(`more and less are for numbers and dates, not for ${KINDS[type]}`)
  }
  if (op === 'contains' && !TEXTS.has(type) && type !== 'multiChoice' && type !== 'list') {
    const meant: ConditionLeaf = { ...leaf, op: Array.isArray(value) ? 'in' : 'equals' }
    const still = misfitOf(config, meant)
    return misfit(`"contains" is for texts and lists, not for ${KINDS[type]}`, still ? still.instead : meant)
  }
  const codes = codesOf(config, binding, type)
  if (codes) {
    const wrong = valuesOf(value).filter((one) => typeof one !== 'string' || !codes.includes(one.toLowerCase()))
    if (wrong.length === 0) return null
    const near = (one: unknown) => (wrong.includes(one) ? nearest(String(one), codes) : one)
    const meant = Array.isArray(value) ? value.map(near) : near(value)
    const mendable = valuesOf(meant).every((one) => one !== null)
    return misfit(`${listed(wrong.map((one) => JSON.stringify(one)))} is not among its values`, mendable ? { ...leaf, value: meant } : null)
  }
  const wrong = valuesOf(value).find((one) => !fits(type, one))
  return wrong === undefined ? null : misfit(`${JSON.stringify(wrong)} is not ${KINDS[type]}`)
}

/** Codes that an answer can be; null where it is no code. */
function codesOf(config: EventConfig, binding: string, type: ResponseType | 'list'): string[] | null {
  if (binding === '@participant.tags') return config.tags.map(({ code }) => code)
  if (binding === '@flow.slug') return config.flows.map(({ slug }) => slug)
  if (type !== 'choice' && type !== 'multiChoice') return null
  // A retired choice may stay, for the answers that were given before.
  return (
    indexOf(config)
      .fields.get(binding.slice('@custom.'.length))
      ?.choices.map(({ code }) => code) ?? null
  )
}

function fits(type: ResponseType | 'list', value: unknown): boolean {
  if (type === 'boolean') return /^(true|false)$/i.test(String(value))
  if (type === 'number')
    return (typeof value === 'number' && Number.isFinite(value)) || (typeof value === 'string' && parseDecimal(value) !== null)
  if (type === 'date') return typeof value === 'string' && (isDay(value) || parseInstant(value) !== null)
  if (type === 'country') return typeof value === 'string' && /^[a-z]{2}$/i.test(value)
  return typeof value === 'string' || typeof value === 'number'
}

const KINDS: Record<ResponseType | 'list', string> = {
  text: 'a text',
  longText: 'a text',
  number: 'a number',
  boolean: 'a yes or no',
  date: 'a date',
  choice: 'a choice',
  multiChoice: 'a list of choices',
  email: 'an email address',
  phone: 'a phone number',
  url: 'a web address',
  country: 'a country code of two letters',
  file: 'a file',
  list: 'a list of tags',
}
