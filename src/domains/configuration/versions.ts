import { z } from 'zod'
import { count, flag, instant, object, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { formatInstant } from '../../kernel/time.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { sql } from 'kysely'
import { diffDocuments } from './diff/diff.ts'
import { createBlankConfigDocument, type Configuration, readDraftConfiguration, readConfigVersion } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { canonicalizeInParts, toStoredDocument } from './stored.ts'
import { listTranslatableTextPaths } from './texts.ts'

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

const selectVersions = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('config_versions')
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

type Row = Awaited<ReturnType<ReturnType<typeof selectVersions>['execute']>>[number]

const toVersionSummary = (row: Row, live: number | null): z.input<typeof VersionSummary> => ({
  number: row.number,
  versionId: row.id,
  publishedAt: formatInstant(row.published_at),
  publishedBy: row.published_by_name,
  app: row.app_name,
  note: row.note,
  basedOnVersion: row.based_on_version,
  restoredFrom: row.restored_from,
  sha256: row.sha256,
  counts: row.counts,
  live: row.number === live,
})

interface PublishedForm {
  document: ConfigDocument
  sha256: string
}

const publishedForms = new WeakMap<ConfigDocument, PublishedForm>()

/**
 * Returns the document as publishing stores it: without orphaned translations (whose source text no longer exists). The draft keeps them
 * in case the source text is restored. A version does not need them, so they do not count as changes.
 */
export async function toPublishedDocument({ document, sha256 }: Pick<Configuration, 'document' | 'sha256'>): Promise<PublishedForm> {
  const known = publishedForms.get(document)
  if (known) return known
  const kept = await withoutOrphanedTranslations(document)
  const made = { document: kept, sha256: (kept === document && sha256) || (await runTaskCooperatively(canonicalizeInParts(kept))).sha256 }
  publishedForms.set(document, made)
  return made
}

async function withoutOrphanedTranslations(document: ConfigDocument): Promise<ConfigDocument> {
  if (!document.translations) return document
  await yieldToEventLoop()
  const units = listTranslatableTextPaths(document)
  const isOrphaned = (path: string) => !units.has(path)
  const texts = Object.entries(document.translations)
  await yieldToEventLoop()
  if (!texts.some(([, entries]) => Object.keys(entries).some(isOrphaned))) return document
  const translations: typeof document.translations = {}
  for (const [locale, entries] of texts) {
    await yieldToEventLoop()
    translations[locale] = Object.fromEntries(Object.entries(entries).filter(([path]) => !isOrphaned(path)))
  }
  await yieldToEventLoop()
  return toStoredDocument({ ...document, translations })
}

/** Returns one published version, without its document. */
export async function getConfigVersion(ctx: EventContext, number: number): Promise<z.input<typeof VersionSummary>> {
  const { facts } = await readDraftConfiguration(ctx)
  const row = await selectVersions(ctx).where('number', '=', number).executeTakeFirst()
  if (!row) throw notFound(`No version ${number} of ${ctx.event.code}`)
  return toVersionSummary(row, facts.publishedVersion)
}

/** Lists published versions, newest first, and how far the draft differs from the live version. */
export async function listVersions(ctx: EventContext, paging: { limit: number; cursor?: string | undefined }) {
  const edited = await readDraftConfiguration(ctx)
  const { facts } = edited
  const { items, ...page } = await readPage(ctx, paging, {
    rows: selectVersions(ctx),
    order: [{ by: sql`number`, type: 'integer', descending: true, of: (row) => row.number }],
    shape: (row) => toVersionSummary(row, facts.publishedVersion),
  })
  const live =
    facts.publishedVersion === null
      ? createBlankConfigDocument(facts)
      : (await readConfigVersion(ctx, facts.publishedVersion, facts)).document
  const draft: z.input<typeof DraftSummary> = {
    revision: facts.draftRevision,
    basedOnVersion: facts.basedOnVersion,
    changesSincePublish: (await runTaskCooperatively(diffDocuments(live, (await toPublishedDocument(edited)).document))).length,
    updatedAt: formatInstant(facts.updatedAt),
    updatedBy: facts.updatedBy,
  }
  return { versions: items, draft, ...page }
}
