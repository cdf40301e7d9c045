import type { Db } from '../../../kernel/columns.ts'
import type { Actor } from '../../../kernel/context.ts'
import { type AuditedAction, commitChange, previewChange } from '../../../kernel/commit-change.ts'
import { chooseLanguage, textDirectionOf } from '../../../kernel/language/negotiation.ts'
import { LANGUAGES, type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'
import { newContext } from '../../../kernel/new-context.ts'
import {
  type Configuration,
  type EventConfigFacts,
  readConfigForRegistration,
  readDraftConfiguration,
} from '../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../domains/configuration/schema/event-config.ts'
import { getTranslatedConfig, isUntranslated } from '../../../domains/configuration/translate-config.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { findPublicEvent, type PublicEvent } from '../../../domains/tenancy/public-event.ts'
import { buildEventPageUrls } from '../../../domains/tenancy/public-pages.ts'
import { chooseVisitorLanguage } from '../language/visitor.ts'
import { buildThemeStylesheetPath } from '../theme/stylesheet.ts'
import type { WebServices, WebContext } from '../web.ts'

/** An event as shown to one visitor: translated configuration, texts, theme and page paths. */
export interface EventSite extends PublicEvent {
  facts: EventConfigFacts
  /** The event's configuration, translated into the visitor's language where translations exist. */
  config: EventConfig
  words: Translator
  /** Languages for the language switch: see `listPageLanguages`. */
  languages: readonly string[]
  /** The `lang` attribute of a text of the organizer that has no translation, so that screen readers pronounce it in its own language. */
  langOf: (text: string) => string | undefined
  /** The `lang` attribute of texts that are never translated, such as titles of conference sessions. */
  mainLang: string | undefined
  /** Address of the event's theme stylesheet. */
  theme: string
  /** Page paths, relative to the root of this site. */
  paths: ReturnType<typeof buildEventPageUrls>
  /** The actor for changes made before the visitor has signed in. */
  visitor: Actor
}

/** The path prefix of all event pages. */
export const PUBLIC_EVENT_PATH = '/tenant/:tenant/client/:client/event/:event'

const VISITOR: Actor = { kind: 'participant', id: 'visitor', name: 'visitor', app: { id: null, name: 'web' } }

/** Finds the event of the request's path. Null if the event does not exist or is not public. */
export async function findEventSite(web: WebServices, c: WebContext): Promise<EventSite | null> {
  const found = await findRequestedEvent(web, c)
  return found && readEventSite(web, c, found)
}

/** Finds the event of the request's path, without its configuration. */
export function findRequestedEvent(web: WebServices, c: WebContext): Promise<PublicEvent | null> {
  const { tenant = '', client = '', event = '' } = c.req.param() as Record<string, string>
  return findPublicEvent(web.services.database.pool, { tenantCode: tenant, clientCode: client, eventCode: event })
}

/** Like `findEventSite`, for pages whose path does not contain the event's codes. */
export async function findEventSiteByCodes(
  web: WebServices,
  c: WebContext,
  codes: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<EventSite | null> {
  const found = await findPublicEvent(web.services.database.pool, codes)
  return found && readEventSite(web, c, found)
}

type ConfigurationScope = Parameters<typeof readConfigForRegistration>[0]

/** Reads the event as this visitor sees it. Null if it is not public. */
export async function readEventSite(
  web: WebServices,
  c: WebContext,
  found: PublicEvent,
  readConfiguration: (ctx: ConfigurationScope) => Promise<Configuration | null> = readConfigForRegistration,
): Promise<EventSite | null> {
  c.set('framed', found.embedHosts.length > 0)
  const shown = await readConfiguration({ tenantId: found.tenantId, db: web.services.database.read, event: found.event })
  if (!shown) return null
  const locale = chooseVisitorLanguage(web, c, [shown.facts.locale, ...shown.facts.locales.filter((one) => one !== shown.facts.locale)])
  const config = locale === shown.facts.locale ? shown.config : getTranslatedConfig(shown.config, locale)
  const mainLang = locale === shown.facts.locale ? undefined : shown.facts.locale
  return {
    ...found,
    facts: shown.facts,
    config,
    mainLang,
    langOf: (text) => (isUntranslated(config, text) ? mainLang : undefined),
    // Untranslated texts appear in English, but dates and amounts are formatted for the visitor's locale.
    words: { ...chooseTranslator(locale), locale, direction: textDirectionOf(locale) },
    languages: listPageLanguages(shown.facts),
    theme: buildThemeStylesheetPath(shown.config.theme),
    paths: buildEventPageUrls({ ...found, baseUrl: '' }),
    visitor: VISITOR,
  }
}

/** The event that an emailed link (such as a supplier's) belongs to. */
interface LinkedEvent extends Pick<PublicEvent, 'tenantId' | 'tenantCode' | 'event'> {
  client: Omit<PublicEvent['client'], 'website'>
}

/**
 * Reads the event for the recipient of an emailed link, such as a supplier or a signer. Such links are sent long before an event is
 * published, so its draft is shown until then. `home` is the first page of the link.
 */
export async function readEventSiteForEmailedLink(
  web: WebServices,
  c: WebContext,
  { tenantId, tenantCode, client, event }: LinkedEvent,
  home: string,
): Promise<EventSite | null> {
  const found = { tenantId, tenantCode, client: { ...client, website: null }, event, embedHosts: [] }
  const site = await readEventSite(web, c, found, async (ctx) => (await readConfigForRegistration(ctx)) ?? readDraftConfiguration(ctx))
  // The home link leads to `home`, because the event page may not be public yet. The pages show no test mode notice.
  return site && { ...site, facts: { ...site.facts, testMode: false }, paths: { ...site.paths, home } }
}

/**
 * Lists the event's languages that pages offer: languages with a translated interface, because buttons and errors would stay English in
 * others, and the event's main language. Other translations still reach visitors whose browsers request them.
 */
const listPageLanguages = ({ locale, locales }: EventConfigFacts): string[] =>
  locales.filter((one) => one === locale || chooseLanguage([one], LANGUAGES) !== null)

/** Creates the context for domain functions, with a database connection for reading or with the transaction of a change. */
export const createPublicEventContext = (
  web: WebServices,
  site: EventSite,
  db: Db = web.services.database.read,
  actor: Actor = site.visitor,
): RegistrationContext => ({
  ...newContext(web.services, { ...site, actor, cursorScope: `${actor.id} ${site.event.id}` }, db),
  client: site.client,
  event: site.event,
})

/** Runs a change from an event page: one transaction, one audit entry under the visitor's name. */
export function runChangeFromEventPage<T>(
  web: WebServices,
  site: EventSite,
  by: { action: string; actor?: Actor; isAnonymousStep?: boolean },
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> {
  const { action: name, isAnonymousStep = false } = by
  const doing: AuditedAction = { name, clientId: site.client.id, eventId: site.event.id, isAnonymousStep }
  return commitChange(web.services.database, doing, (db) => createPublicEventContext(web, site, db, by.actor), run)
}

/** Runs a change from an event page, rolls it back and returns its result, to show the effects before confirmation. */
export const previewChangeFromEventPage = <T>(
  web: WebServices,
  site: EventSite,
  by: { action: string; actor?: Actor },
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> =>
  previewChange(
    web.services.database,
    { name: by.action, eventId: site.event.id },
    (db) => createPublicEventContext(web, site, db, by.actor),
    run,
  )
