import type { Db } from '../../../kernel/columns.ts'
import type { Actor } from '../../../kernel/context.ts'
import { type Doing, keepChange, previewChange } from '../../../kernel/keep-change.ts'
import { directionOf } from '../../../kernel/language/choose.ts'
import { type Words, wordsIn } from '../../../kernel/language/words.ts'
import { newContext } from '../../../kernel/new-context.ts'
import { type EventFacts, readInUse } from '../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../domains/configuration/schema/event-config.ts'
import { spokenIn } from '../../../domains/configuration/translated.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { findPublicEvent, type PublicEvent } from '../../../domains/tenancy/public-event.ts'
import { eventPages } from '../../../domains/tenancy/public-pages.ts'
import { languageFor } from '../language/visitor.ts'
import { themeAddress } from '../theme/stylesheet.ts'
import type { Web, WebContext } from '../web.ts'

/** An event as a visitor meets it: what it says in their language, how it looks, where its pages are. */
export interface Place extends PublicEvent {
  facts: EventFacts
  /** In the visitor's language where it is translated. */
  config: EventConfig
  words: Words
  /** Address of its own colours. */
  theme: string
  /** Its pages, from the root of this site. */
  paths: ReturnType<typeof eventPages>
  /** Who acts on its pages before anybody signed in. */
  visitor: Actor
}

/** All pages of events begin so. */
export const AT_EVENT = '/tenant/:tenant/client/:client/event/:event'

const VISITOR: Actor = { kind: 'participant', id: 'visitor', name: 'visitor', app: { id: null, name: 'web' } }

/** The event of an address, or null: for one that is not open to the public, never was, or is another's. */
export function placeOf(web: Web, c: WebContext): Promise<Place | null> {
  const { tenant = '', client = '', event = '' } = c.req.param() as Record<string, string>
  return placeNamed(web, c, { tenantCode: tenant, clientCode: client, eventCode: event })
}

/** The same for a page whose address does not say at which event it is. */
export async function placeNamed(
  web: Web,
  c: WebContext,
  codes: { tenantCode: string; clientCode: string; eventCode: string },
): Promise<Place | null> {
  const found = await findPublicEvent(web.road.database.pool, codes)
  if (!found) return null
  c.set('framed', found.embedHosts.length > 0)
  const shown = await readInUse({ tenantId: found.tenantId, db: web.road.database.read, event: found.event })
  if (!shown) return null
  const locale = languageFor(web, c, [shown.facts.locale, ...shown.facts.locales.filter((one) => one !== shown.facts.locale)])
  return {
    ...found,
    facts: shown.facts,
    config: locale === shown.facts.locale ? shown.config : spokenIn(shown.config, locale),
    // What nobody translated here is said in English, but days and amounts are written as the reader writes them.
    words: { ...wordsIn(locale), locale, direction: directionOf(locale) },
    theme: themeAddress(shown.config.theme),
    paths: eventPages({ ...found, baseUrl: '' }),
    visitor: VISITOR,
  }
}

/** What domain functions are given on these pages, for reading or inside a change. */
export const contextAt = (web: Web, place: Place, db: Db = web.road.database.read, actor: Actor = place.visitor): AtEvent => ({
  ...newContext(web.road, { ...place, actor, cursorScope: `${actor.id} ${place.event.id}` }, db),
  client: place.client,
  event: place.event,
})

/** A change that somebody makes on a page of an event: one transaction, one audit row under their name. */
export function changeHere<T>(
  web: Web,
  place: Place,
  by: { action: string; actor?: Actor },
  run: (ctx: AtEvent) => Promise<T>,
): Promise<T> {
  const doing: Doing = { name: by.action, clientId: place.client.id, eventId: place.event.id }
  return keepChange(web.road.database, doing, (db) => contextAt(web, place, db, by.actor), run)
}

/** What such a change would come to. */
export const previewHere = <T>(
  web: Web,
  place: Place,
  by: { action: string; actor?: Actor },
  run: (ctx: AtEvent) => Promise<T>,
): Promise<T> => previewChange(web.road.database, by.action, (db) => contextAt(web, place, db, by.actor), run)
