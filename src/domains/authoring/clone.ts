import type { ClientAccess, ClientContext, EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { isPublishBlockingIssue } from '../configuration/issues.ts'
import { toPointer } from '../configuration/pointers.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import { type ConfigDocument, CONFIG_SECTIONS } from '../configuration/schema/event-config.ts'
import { checkInParts } from '../configuration/structure.ts'
import { listTranslatableTextPaths } from '../configuration/texts.ts'
import { resolveClient } from '../tenancy/scope.ts'
import { cloneConnections, listConnectionCodes } from '../directories/clone-connections.ts'
import { countItemsBySection } from './config-items.ts'
import { editConfigDraft } from './edit.ts'
import { insertEvent, getEventRow, toEventRecord } from './event-records.ts'
import { requireKnownSections, listCopyableItems } from './copyable-items.ts'
import { removeReferences, removeRetiredItems } from './remove-references.ts'
import { type DateShiftMode, shiftDates, summarizeShiftedDates } from './shift-dates.ts'
import { truncateListsWithWarnings } from './truncate-lists.ts'

interface Request {
  newCode: string
  newName: string
  startsOn: string
  toClientCode?: string | undefined
  fromVersion?: string | undefined
  include?: readonly string[] | undefined
  dateShift: DateShiftMode
}

/** Creates a new event with the configuration of an existing event, without its participants or other records. */
export async function cloneEvent(ctx: EventContext, request: Request) {
  requireKnownSections(request.include ?? [], 'include', CONFIG_SECTIONS)
  const to = getTargetClient(ctx, request.toClientCode)
  const { source, warnings } = await readSource(ctx, request.fromVersion)
  const made = buildClone(source, request)
  const elsewhere = to.client.id !== ctx.client.id
  const settled = elsewhere ? await removeConnections(ctx, made) : made
  await ensureValidClone(settled.document)

  const { timezone, currency, locale, locales } = source.facts
  const { name, startsOn, endsOn } = settled.document.details
  const at = await insertEvent(to, {
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
  const edited = await editConfigDraft(at, { tool: 'clone_event', operations }, () => settled.document)
  const open = edited.issues.filter(isPublishBlockingIssue).map(({ path, message }) => `${path}: ${message}`)
  return {
    event: toEventRecord(to.client.code, await getEventRow(at)),
    copied: countItemsBySection(listCopyableItems(edited.after.document)),
    dateChanges: summarizeShiftedDates(made.moves),
    ...truncateListsWithWarnings(
      [...warnings, ...open],
      { cleared: [...settled.cleared, ...connections.cleared] },
      'validate_schema lists all issues of the new event',
    ),
  }
}

/** Creating an event requires permission at the client; a role at a single event is not enough. */
function getTargetClient(ctx: EventContext, toClientCode: string | undefined): ClientContext {
  // Inactive clients and their events are hidden from every tool except those about the client itself.
  const active = { ...ctx.access, clients: ctx.access.clients.filter((client) => client.active) }
  const client: ClientAccess = toClientCode === undefined ? ctx.client : resolveClient(active, toClientCode)
  const permissions = permissionsOf(client.roles)
  if (!permissions.has('clients.write')) {
    throw new AppError('forbidden', `Forbidden — clone_event requires the clients.write permission at client ${client.code}`)
  }
  return { ...ctx, client, permissions }
}

/** Reads the configuration to clone: the requested version, or by default the live version, or the draft before the first publish. */
async function readSource(ctx: EventContext, fromVersion: string | undefined): Promise<{ source: Configuration; warnings: string[] }> {
  const draft = await readConfigBySelector(ctx, 'draft')
  if (fromVersion === undefined && draft.facts.publishedVersion === null) {
    return { source: draft, warnings: [`${ctx.event.code} was never published: its draft was cloned`] }
  }
  return { source: await readConfigBySelector(ctx, fromVersion ?? 'live', 'fromVersion'), warnings: [] }
}

interface ClonedConfig {
  document: ConfigDocument
  cleared: string[]
  moves: ReturnType<typeof shiftDates>['moves']
}

function buildClone({ document, facts }: Configuration, { newName, startsOn, include, dateShift }: Request): ClonedConfig {
  const { details } = document
  const days = daysBetween(details.startsOn, startsOn)
  const chosen = include === undefined ? document : pickSections(document, include)
  const live = removeRetiredItems(chosen)
  const { document: moved, moves } = shiftDates(live.document, { mode: dateShift, days, fromZone: facts.timezone, toZone: facts.timezone })
  const endsOn = addDays(startsOn, daysBetween(details.startsOn, details.endsOn))
  const named = { ...moved, details: { ...moved.details, name: newName, startsOn, endsOn } }
  const texts = keepOwnTranslations(named, newName !== details.name)
  return { document: texts.document, cleared: [...live.cleared, ...texts.cleared], moves }
}

/** Keeps the sections to clone. Name and dates are set later, so the details section can be excluded like any other. */
function pickSections(document: ConfigDocument, include: readonly string[]): ConfigDocument {
  const { name, startsOn, endsOn } = document.details
  const kept = Object.entries(document).filter(([section]) => include.includes(section))
  return { details: { name, startsOn, endsOn }, ...Object.fromEntries(kept) }
}

/** Keeps only translations of texts that are present. Translations of the old event name are dropped. */
function keepOwnTranslations(document: ConfigDocument, renamed: boolean): { document: ConfigDocument; cleared: string[] } {
  if (!document.translations) return { document, cleared: [] }
  const units = listTranslatableTextPaths(document)
  const cleared: string[] = []
  const translations = Object.fromEntries(
    Object.entries(document.translations).map(([locale, texts]) => {
      const kept = Object.entries(texts).filter(([path]) => {
        const stale = renamed && path === '/details/name'
        if (stale) cleared.push(toPointer(['translations', locale, path]))
        return units.has(path) && !stale
      })
      return [locale, Object.fromEntries(kept)]
    }),
  )
  return { document: { ...document, translations }, cleared }
}

/**
 * Removes references to directory connections when cloning to another client, because connections and their credentials belong to one
 * client.
 */
async function removeConnections(ctx: EventContext, made: ClonedConfig): Promise<ClonedConfig> {
  const left = removeReferences(made.document, ({ target }) => target === 'directory')
  const codes = await listConnectionCodes(ctx)
  return {
    ...made,
    document: left.document,
    cleared: [...made.cleared, ...left.cleared, ...codes.map((code) => `directory connection ${code}`)],
  }
}

async function ensureValidClone(document: ConfigDocument): Promise<void> {
  const checked = await runTaskCooperatively(checkInParts(document))
  if (checked.ok) return
  const argument: Record<string, string> = { '/details/name': 'newName', '/details/endsOn': 'startsOn' }
  throw invalidArguments(checked.issues.slice(0, 50).map(({ path, message }) => ({ path: argument[path] ?? path, message })))
}
