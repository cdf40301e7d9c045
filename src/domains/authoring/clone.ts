import type { ClientAccess, ClientContext, EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { inTurns } from '../../kernel/turns.ts'
import { isBlocking } from '../configuration/issues.ts'
import { pointerOf } from '../configuration/pointers.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import { type ConfigDocument, SECTIONS } from '../configuration/schema/event-config.ts'
import { checkInParts } from '../configuration/structure.ts'
import { unitsOf } from '../configuration/texts.ts'
import { resolveClient } from '../tenancy/scope.ts'
import { cloneConnections, connectionCodes } from './clone-connections.ts'
import { countedBySection } from './config-items.ts'
import { editDraft } from './edit.ts'
import { foundEvent, getEventRow, toEventRecord } from './event-records.ts'
import { checkSections, copyableItems } from './item-places.ts'
import { withoutReferences, withoutRetired } from './leave-out.ts'
import { type DateShift, shiftDates, toldMoves } from './shift-dates.ts'
import { fittingWithWarnings } from './told.ts'

interface Request {
  newCode: string
  newName: string
  startsOn: string
  toClientCode?: string | undefined
  fromVersion?: string | undefined
  include?: readonly string[] | undefined
  dateShift: DateShift
}

/** A new event with the configuration of this one and nothing of what happened at it. */
export async function cloneEvent(ctx: EventContext, request: Request) {
  checkSections(request.include ?? [], 'include', SECTIONS)
  const to = targetOf(ctx, request.toClientCode)
  const { source, warnings } = await sourceOf(ctx, request.fromVersion)
  const made = cloned(source, request)
  const elsewhere = to.client.id !== ctx.client.id
  const settled = elsewhere ? await withoutConnections(ctx, made) : made
  await checkNew(settled.document)

  const { timezone, currency, locale, locales } = source.facts
  const { name, startsOn, endsOn } = settled.document.details
  const at = await foundEvent(to, {
    code: request.newCode,
    name,
    starts_on: startsOn,
    ends_on: endsOn,
    timezone,
    currency,
    locale,
    locales: [...locales],
  })
  const connections = elsewhere ? { cleared: [] } : await cloneConnections(ctx, at)
  const operations = { from: ctx.event.code, version: source.version ?? 'draft', include: request.include, dateShift: request.dateShift }
  const edited = await editDraft(at, { tool: 'clone_event', operations }, () => settled.document)
  const open = edited.issues.filter(isBlocking).map(({ path, message }) => `${path}: ${message}`)
  return {
    event: toEventRecord(to.client.code, await getEventRow(at)),
    copied: countedBySection(copyableItems(edited.after.document)),
    dateChanges: toldMoves(made.moves),
    ...fittingWithWarnings(
      [...warnings, ...open],
      { cleared: [...settled.cleared, ...connections.cleared] },
      'validate_schema tells all issues of the new event',
    ),
  }
}

/** Whoever makes an event in a client must be a member of it who may: a role at a single event is not enough. */
function targetOf(ctx: EventContext, toClientCode: string | undefined): ClientContext {
  // Like its events, an inactive client is hidden from all that is not about the client itself.
  const active = { ...ctx.access, clients: ctx.access.clients.filter((client) => client.active) }
  const client: ClientAccess = toClientCode === undefined ? ctx.client : resolveClient(active, toClientCode)
  const permissions = permissionsOf(client.roles)
  if (!permissions.has('clients.write')) {
    throw new AppError('forbidden', `Forbidden — clone_event requires the clients.write permission at client ${client.code}`)
  }
  return { ...ctx, client, permissions }
}

/** The live version; before the first publish the draft is all there is. */
async function sourceOf(ctx: EventContext, fromVersion: string | undefined): Promise<{ source: Configuration; warnings: string[] }> {
  const draft = await readConfig(ctx, 'draft')
  if (fromVersion === undefined && draft.facts.publishedVersion === null) {
    return { source: draft, warnings: [`${ctx.event.code} was never published: its draft was cloned`] }
  }
  return { source: await readConfig(ctx, fromVersion ?? 'live', 'fromVersion'), warnings: [] }
}

interface Cloned {
  document: ConfigDocument
  cleared: string[]
  moves: ReturnType<typeof shiftDates>['moves']
}

function cloned({ document, facts }: Configuration, { newName, startsOn, include, dateShift }: Request): Cloned {
  const { details } = document
  const days = daysBetween(details.startsOn, startsOn)
  const chosen = include === undefined ? document : onlySections(document, include)
  const live = withoutRetired(chosen)
  const { document: moved, moves } = shiftDates(live.document, { mode: dateShift, days, fromZone: facts.timezone, toZone: facts.timezone })
  const endsOn = addDays(startsOn, daysBetween(details.startsOn, details.endsOn))
  const named = { ...moved, details: { ...moved.details, name: newName, startsOn, endsOn } }
  const texts = ownTranslations(named, newName !== details.name)
  return { document: texts.document, cleared: [...live.cleared, ...texts.cleared], moves }
}

/** Name and days are given anew, so the details can be left out like any other section. */
function onlySections(document: ConfigDocument, include: readonly string[]): ConfigDocument {
  const { name, startsOn, endsOn } = document.details
  const kept = Object.entries(document).filter(([section]) => include.includes(section))
  return { details: { name, startsOn, endsOn }, ...Object.fromEntries(kept) }
}

/** Those of texts that came along. Nobody has translated the new name yet, and the old one would be shown in its place. */
function ownTranslations(document: ConfigDocument, renamed: boolean): { document: ConfigDocument; cleared: string[] } {
  if (!document.translations) return { document, cleared: [] }
  const units = unitsOf(document)
  const cleared: string[] = []
  const translations = Object.fromEntries(
    Object.entries(document.translations).map(([locale, texts]) => {
      const kept = Object.entries(texts).filter(([path]) => {
        const stale = renamed && path === '/details/name'
        if (stale) cleared.push(pointerOf(['translations', locale, path]))
        return units.has(path) && !stale
      })
      return [locale, Object.fromEntries(kept)]
    }),
  )
  return { document: { ...document, translations }, cleared }
}

/** Connections belong to their client, and so do the accounts that they sign in with. */
async function withoutConnections(ctx: EventContext, made: Cloned): Promise<Cloned> {
  const left = withoutReferences(made.document, ({ target }) => target === 'directory')
  const codes = await connectionCodes(ctx)
  return {
    ...made,
    document: left.document,
    cleared: [...made.cleared, ...left.cleared, ...codes.map((code) => `directory connection ${code}`)],
  }
}

async function checkNew(document: ConfigDocument): Promise<void> {
  const checked = await inTurns(checkInParts(document))
  if (checked.ok) return
  const argument: Record<string, string> = { '/details/name': 'newName', '/details/endsOn': 'startsOn' }
  throw invalidArguments(checked.issues.slice(0, 50).map(({ path, message }) => ({ path: argument[path] ?? path, message })))
}
