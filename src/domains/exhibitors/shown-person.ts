import type { Context } from '../../kernel/context.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { createExpiringFileLinkBuilder } from '../files/links.ts'
import type { FilePurpose } from '../files/purposes.ts'
import { type ParticipantSharingColumns, applySharingChoices, type PersonVisibleToExhibitors } from './visibility.ts'

/** A participant as selected by `PARTICIPANT_SHARING_COLUMNS_SQL`, with pictures. */
export interface ParticipantWithPictures extends ParticipantSharingColumns {
  pictures: { id: string; name: string; purpose: FilePurpose }[] | null
}

interface ViewContext {
  tenantCode: string
  now: Date
  locale: string
  config: Pick<EventConfig, 'exhibitorConfig' | 'customFields'>
}

const PICTURE_LINK_SECONDS = 3600

/** Returns the data of a participant that a scanner shows. Picture links are valid for an hour. */
export function toPersonShownOnScanner(
  { keys, baseUrl }: Pick<Context, 'keys' | 'baseUrl'>,
  { tenantCode, now, locale, config }: ViewContext,
  person: ParticipantWithPictures,
): PersonVisibleToExhibitors {
  const linkTo = createExpiringFileLinkBuilder({ keys, baseUrl, tenantCode }, Math.ceil(now.getTime() / 1000) + PICTURE_LINK_SECONDS)
  const pictures = new Map(person.pictures?.map((file) => [file.id, linkTo(file)]))
  return applySharingChoices(config, person, locale, (fileId) => pictures.get(fileId) ?? null)
}
