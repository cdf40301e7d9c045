import { z } from 'zod'
import { count, flag, instant, object, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { toInstant } from '../../kernel/time.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import { sql } from 'kysely'
import { diffDocuments } from './diff/diff.ts'
import { blankDocument, type Configuration, readDraft, readVersion } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { canonicalInParts, storedDocument } from './stored.ts'
import type {} from './tables.ts'
import { unitsOf } from './texts.ts'

const MAX_NUMBER = 2_147_483_647

export const VersionSummary = object({
  number: count(1, MAX_NUMBER),
  versionId: text(),
  publishedAt: instant(),
  publishedBy: text(),
  app: text(),
  note: z.string().nullable(),
  basedOnVersion: count(1, MAX_NUMBER).nullable(),
  restoredFrom: count(1, MAX_NUMBER).nullable(),
  sha256: text(),
  counts: z.looseObject({}),
  live: flag(),
})

export const DraftSummary = object({
  revision: count(1, MAX_NUMBER),
  basedOnVersion: count(1, MAX_NUMBER).nullable(),
  changesSincePublish: count(),
  updatedAt: instant(),
  updatedBy: z.string().nullable(),
})

const versionsOf = (ctx: EventContext) =>
  ctx.db
    .selectFrom('config_versions')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .select([
      'number',
      'id',
      'published_at',
      'published_by_name',
      'app_name',
      'note',
      'based_on_version',
      'restored_from',
      'sha256',
      'counts',
    ])

type Row = Awaited<ReturnType<ReturnType<typeof versionsOf>['execute']>>[number]

const toVersionSummary = (row: Row, live: number | null): z.input<typeof VersionSummary> => ({
  number: row.number,
  versionId: row.id,
  publishedAt: toInstant(row.published_at),
  publishedBy: row.published_by_name,
  app: row.app_name,
  note: row.note,
  basedOnVersion: row.based_on_version,
  restoredFrom: row.restored_from,
  sha256: row.sha256,
  counts: row.counts,
  live: row.number === live,
})

interface AsVersion {
  document: ConfigDocument
  sha256: string
}

const asVersions = new WeakMap<ConfigDocument, AsVersion>()

/**
 * What publishing makes of a document: without the translations whose text is gone. In the draft they wait in case the text comes back;
 * to a version they are of no use, so they are no change either.
 */
export async function asVersion({ document, sha256 }: Pick<Configuration, 'document' | 'sha256'>): Promise<AsVersion> {
  const known = asVersions.get(document)
  if (known) return known
  const kept = await withoutOrphanedTranslations(document)
  const made = { document: kept, sha256: (kept === document && sha256) || (await inTurns(canonicalInParts(kept))).sha256 }
  asVersions.set(document, made)
  return made
}

async function withoutOrphanedTranslations(document: ConfigDocument): Promise<ConfigDocument> {
  if (!document.translations) return document
  await giveWay()
  const units = unitsOf(document)
  const isOrphaned = (path: string) => !units.has(path)
  const texts = Object.entries(document.translations)
  await giveWay()
  if (!texts.some(([, entries]) => Object.keys(entries).some(isOrphaned))) return document
  const translations: typeof document.translations = {}
  for (const [locale, entries] of texts) {
    await giveWay()
    translations[locale] = Object.fromEntries(Object.entries(entries).filter(([path]) => !isOrphaned(path)))
  }
  await giveWay()
  return storedDocument({ ...document, translations })
}

/** One published version, without its document. */
export async function getVersion(ctx: EventContext, number: number): Promise<z.input<typeof VersionSummary>> {
  const { facts } = await readDraft(ctx)
  const row = await versionsOf(ctx).where('number', '=', number).executeTakeFirst()
  if (!row) throw notFound(`No version ${number} of ${ctx.event.code}`)
  return toVersionSummary(row, facts.publishedVersion)
}

/** Published versions, the newest first, and how far the draft has gone from the live one. */
export async function listVersions(ctx: EventContext, paging: { limit: number; cursor?: string | undefined }) {
  const edited = await readDraft(ctx)
  const { facts } = edited
  const { items, ...page } = await readPage(ctx, paging, {
    rows: versionsOf(ctx),
    order: [{ by: sql`number`, type: 'integer', descending: true, of: (row) => row.number }],
    shape: (row) => toVersionSummary(row, facts.publishedVersion),
  })
  const live = facts.publishedVersion === null ? blankDocument(facts) : (await readVersion(ctx, facts.publishedVersion, facts)).document
  const draft: z.input<typeof DraftSummary> = {
    revision: facts.draftRevision,
    basedOnVersion: facts.basedOnVersion,
    changesSincePublish: (await inTurns(diffDocuments(live, (await asVersion(edited)).document))).length,
    updatedAt: toInstant(facts.updatedAt),
    updatedBy: facts.updatedBy,
  }
  return { versions: items, draft, ...page }
}
