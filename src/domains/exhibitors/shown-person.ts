import type { Context } from '../../kernel/context.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { fileLinksUntil } from '../files/links.ts'
import type { FilePurpose } from '../files/purposes.ts'
import { type Seen, visibleOf, type VisiblePerson } from './visibility.ts'

/** Somebody as `SEEN` reads them: with their pictures. */
export interface PicturedPerson extends Seen {
  pictures: { id: string; name: string; purpose: FilePurpose }[] | null
}

interface Looking {
  tenantCode: string
  now: Date
  locale: string
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>
}

const PICTURE_SECONDS = 3600

/** What a scanner is shown of somebody, their pictures by links that are good for an hour. */
export function shownPerson(
  { keys, baseUrl }: Pick<Context, 'keys' | 'baseUrl'>,
  { tenantCode, now, locale, config }: Looking,
  person: PicturedPerson,
): VisiblePerson {
  const linkTo = fileLinksUntil({ keys, baseUrl, tenantCode }, Math.ceil(now.getTime() / 1000) + PICTURE_SECONDS)
  const pictures = new Map(person.pictures?.map((file) => [file.id, linkTo(file)]))
  return visibleOf(config, person, locale, (fileId) => pictures.get(fileId) ?? null)
}
