import { sql } from 'kysely'
import { chooseTranslator } from '../../kernel/language/translator.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { formatAnswer } from '../exhibitors/visibility.ts'
import { formatParticipantMergeField } from '../messages/event-mail/person.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { DoorScanContext } from './door-rules.ts'

/** A line of text on a badge, with its font size in points. */
export interface BadgeTextLine {
  text: string
  size: number
}

const [EVENT_SIZE, NAME_SIZE, FIELD_SIZE] = [9, 22, 12]
const DEFAULT_FIELDS = ['@participant.firstName', '@participant.lastName', '@participant.company']
const NAMES = new Set(['@participant.firstName', '@participant.lastName', '@participant.preferredName', '@participant.fullName'])

/**
 * Lists the printed lines of a badge: the event name, then the configured fields in order. Consecutive first and last names share a line.
 */
export async function listBadgeTextLines(
  ctx: DoorScanContext,
  config: Pick<EventConfig, 'badge' | 'customFields' | 'products'>,
  person: ParticipantRow,
  locale: string,
): Promise<BadgeTextLine[]> {
  const fields = config.badge.fields.length > 0 ? config.badge.fields : DEFAULT_FIELDS
  const held = fields.some((binding) => binding.startsWith('@product.')) ? await listHeldProducts(ctx, person.id) : new Set<string>()
  const lines: BadgeTextLine[] = [{ text: ctx.event.name, size: EVENT_SIZE }]
  for (const [n, binding] of fields.entries()) {
    const text = formatField(config, person, held, binding, locale)
    const continues = binding === '@participant.lastName' && fields[n - 1] === '@participant.firstName' && lines.length > 1
    if (continues) lines.push({ text: `${lines.pop()!.text} ${text}`.trim(), size: NAME_SIZE })
    else lines.push({ text, size: NAMES.has(binding) ? NAME_SIZE : FIELD_SIZE })
  }
  return lines.filter(({ text }) => text !== '')
}

function formatField(
  { customFields, products }: Pick<EventConfig, 'customFields' | 'products'>,
  person: ParticipantRow,
  held: ReadonlySet<string>,
  binding: string,
  locale: string,
): string {
  const [entity, name = ''] = binding.split('.', 2)
  if (entity === '@product') return held.has(name) ? (products.find(({ code }) => code === name)?.name ?? '') : ''
  if (entity === '@custom') {
    const field = customFields.find(({ code }) => code === name)
    return field ? formatAnswer(field, person.custom_field_responses[name], locale) : ''
  }
  if (entity !== '@participant') return ''
  const value = formatParticipantMergeField(person, name, chooseTranslator(locale), locale)
  return typeof value === 'string' ? value : ''
}

async function listHeldProducts({ db, tenantId, event }: DoorScanContext, participantId: string): Promise<Set<string>> {
  const { rows } = await sql<{ code: string }>`
    select product_code as code from order_lines where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
      and product_code is not null group by 1 having sum(quantity) > 0`.execute(db)
  return new Set(rows.map(({ code }) => code))
}
