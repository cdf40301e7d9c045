import type { Access, AccountContext } from '../../kernel/context.ts'
import { type Permissions, permissionsOf } from '../../kernel/permissions.ts'
import { giveWay } from '../../kernel/turns.ts'
import { HIDDEN, isPersonal } from '../registration/personal-fields.ts'
import { type ConfigNames, configNamesIn, pointerOfAnswer } from './config-names.ts'
import { type Difference, differencesOf, type Labels, placeInWords } from './differences.ts'
import { nounOf } from './kinds.ts'
import type { AuditEntry, AuditTarget } from './log.ts'
import { withLongTexts } from './long-texts.ts'
import { MOST_NAMED, nameOf, type Names, namesIn, sessionNamed } from './names.ts'
import { type Sentence, sentenceOf } from './sentence.ts'

export interface ToldRecord {
  kind: string
  id: string
  noun: string
  name: string | null
  differences: Difference[]
}

/** An entry as people read it, with nothing that is kept from whoever asked. */
export interface ToldEntry extends AuditEntry {
  sentence: Sentence
  records: ToldRecord[]
  /** Records that the entry does not tell of one by one. */
  moreRecords: number
  /** Of the reader, where it happened. */
  permissions: Permissions
}

/** What the reader may do where an entry happened. */
const permissionsAt = (access: Access, { client, event }: AuditEntry): Permissions =>
  permissionsOf([
    ...(access.clients.find(({ id }) => id === client?.id)?.roles ?? []),
    ...access.staff.filter(({ eventId }) => eventId === event?.id).map(({ role }) => role),
  ])

/** Tells entries in sentences with the names of today: two statements for the names of all of them, one for texts too long for the log. */
export async function tellEntries(ctx: AccountContext, listed: readonly AuditEntry[]): Promise<ToldEntry[]> {
  const [names, configNames, entries] = await Promise.all([namesIn(ctx, listed), configNamesIn(ctx, listed), withLongTexts(ctx, listed)])
  const told: ToldEntry[] = []
  for (const entry of entries) {
    await giveWay()
    told.push(tellEntry(entry, permissionsAt(ctx.access, entry), names, configNames))
  }
  return told
}

function tellEntry(entry: AuditEntry, permissions: Permissions, names: Names, configNames: ConfigNames): ToldEntry {
  const more = entry.targets.find(({ kind }) => kind === 'more')
  const targets = entry.targets.filter(({ kind }) => kind !== 'more').map((target) => shownTo(permissions, target))
  const labelsFor =
    (eventId: string | undefined): Labels =>
    (field) => {
      const called = (pointer: string) => (eventId === undefined ? null : configNames(eventId, pointer))
      const answer = pointerOfAnswer(field)
      return answer ? called(answer) : (sessionNamed(names, field) ?? placeInWords(field, called))
    }
  const eventOf = ({ kind, id }: AuditTarget) => (kind === 'configuration' ? id : entry.event?.id)
  const shown = { ...entry, targets }
  return {
    ...shown,
    sentence: sentenceOf(shown, names, labelsFor(entry.event?.id)),
    records: targets.slice(0, MOST_NAMED).map((target) => ({
      kind: target.kind,
      id: target.id,
      noun: nounOf(target.kind),
      name: nameOf(names, target),
      differences: differencesOf(target, labelsFor(eventOf(target))),
    })),
    moreRecords: Math.max(0, targets.length - MOST_NAMED) + (more ? Number(more.id) : 0),
    permissions,
  }
}

/** A record with what its reader may not see hidden. That it changed stays said. */
function shownTo(permissions: Permissions, { kind, id, fields }: AuditTarget): AuditTarget {
  const side = (field: string, value: unknown) => {
    if (value === undefined || value === null) return value
    if (isPersonal(permissions, kind, field)) return HIDDEN
    // What stands after the question mark of an address is often a key, and entries are older than the rule that leaves it out.
    return kind === 'webhook' && field === 'url' && typeof value === 'string' ? value.replace(/\?.*$/s, '?…') : value
  }
  const shown = Object.entries(fields).map(([field, { before, after }]) => [
    field,
    { before: side(field, before), after: side(field, after) },
  ])
  return { kind, id, fields: Object.fromEntries(shown) as AuditTarget['fields'] }
}
