import { createHash } from 'node:crypto'
import type { EventContext } from '../../../kernel/context.ts'
import { openFile, listEventFiles, type FileRecord } from '../../files/files.ts'
import { storeGeneratedFile, type UploadDestination } from '../../files/upload.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import { streamAllQueryRows } from '../../figures/query/stream-fields.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import { writeCsv } from '../files/csv.ts'
import { writeJsonLines } from '../files/json.ts'
import { createZipArchive } from '../files/zip.ts'
import type { RowProgressCallbacks, ReportFileMetadata, WrittenReportFile } from '../runs/render-run.ts'
import { listRequiredRunPermissions } from '../runs/requester.ts'
import type { ReportRunRow } from '../runs/tables.ts'
import { describeFields, writeReadme } from './dictionary-file.ts'
import { listUnavailableMetrics, readEventTotals } from './event-totals.ts'
import type { ExportedFile, ExportManifest, ExportOptions } from './options.ts'
import { type ExportPlan, type ExportedEntity, planExport } from './plan-export.ts'
import { createPseudonymizer, type Pseudonymizer } from './pseudonyms.ts'

/** The configuration documents and uploaded files of the event, which are listed before the database snapshot is opened. */
interface Extras {
  config: { path: string; content: unknown }[]
  files: FileRecord[]
  leftOut: ExportPlan['leftOut']
}

/** Writes the whole event to one archive in the file store. All rows come from one database snapshot. */
export async function writeExport(
  ctx: EventContext,
  run: ReportRunRow,
  { target, progress }: { target: UploadDestination; progress: RowProgressCallbacks },
): Promise<WrittenReportFile> {
  const options = run.options.export!
  const extras = await readExtras(ctx, options)
  const { stored, result } = await storeGeneratedFile(target, { tenantId: ctx.tenantId, purpose: 'export' }, (store) =>
    runInSnapshot(ctx, 'export_event', async (snapshot): Promise<ReportFileMetadata> => {
      const plan = planExport(snapshot.dictionary, options, ctx.permissions)
      const archive = await openExport(snapshot.scope.asOf)
      const writing = writeEntries(snapshot, { archive, plan, options, extras, target, progress, run })
      // If writing fails, the error ends both the upload to the file store and this function.
      writing.catch((error: Error) => archive.output.destroy(error))
      const stamp = snapshot.scope.asOf.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
      const name = `${snapshot.event.code}-export-${stamp}Z${options.personalData === 'none' ? '' : '-personal'}.zip`
      await store({ name, content: archive.output })
      const manifest = await writing
      return {
        rows: Math.max(0, sumRows(manifest.files)),
        asOf: snapshot.scope.asOf,
        containsPersonal: options.personalData !== 'none',
        needs: [...new Set([...listRequiredRunPermissions(run), ...plan.entities.map(({ entity }) => `${entity.area}.read` as const)])],
        result: { manifest },
      }
    }),
  )
  return { stored, rendered: result }
}

/** Returns the total number of exported rows. Each entity counts once, although it is written to one file per format. */
const sumRows = (files: readonly ExportedFile[]) =>
  [...new Map(files.flatMap(({ entity, rows }) => (entity === undefined ? [] : [[entity, rows ?? 0]]))).values()].reduce((a, b) => a + b, 0)

async function readExtras(ctx: EventContext, { includeConfig, includeFiles, personalData }: ExportOptions): Promise<Extras> {
  const extras: Extras = { config: [], files: [], leftOut: [] }
  if (includeConfig && ctx.permissions.has('events.read')) {
    const draft = await readDraftConfiguration(ctx)
    const live = await readLiveConfiguration(ctx, draft)
    extras.config.push({ path: 'config/draft.json', content: draft.document })
    if (live) extras.config.push({ path: `config/live-v${live.version}.json`, content: live.document })
  } else if (includeConfig) extras.leftOut.push({ name: 'config', reason: 'needs events.read' })
  if (includeFiles) {
    const files = await listEventFiles(ctx)
    extras.files = personalData === 'full' ? files : files.filter(({ purpose }) => purpose === 'library')
    const left = files.length - extras.files.length
    if (left > 0) extras.leftOut.push({ name: `${left} uploaded files`, reason: `personalData is ${personalData}` })
  }
  return extras
}

/** Opens an archive that records the size and the hash of each entry. */
async function openExport(asOf: Date) {
  const archive = await createZipArchive(asOf)
  const files: ExportedFile[] = []
  const add = async (path: string, content: AsyncIterable<Buffer>, facts: { entity?: string; rows?: () => number } = {}) => {
    const hash = createHash('sha256')
    let bytes = 0
    async function* measured() {
      for await (const chunk of content) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    }
    await archive.add(path, measured())
    const { entity, rows } = facts
    files.push({ path, ...(entity === undefined ? {} : { entity, rows: rows!() }), bytes, sha256: hash.digest('hex') })
  }
  const addText = (path: string, text: string) => add(path, toChunks(text))
  return { output: archive.output, files, add, addText, close: archive.close }
}

async function* toChunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

interface Writing {
  archive: Awaited<ReturnType<typeof openExport>>
  plan: ExportPlan
  options: ExportOptions
  extras: Extras
  target: UploadDestination
  progress: RowProgressCallbacks
  run: ReportRunRow
}

async function writeEntries(snapshot: QuerySnapshot, writing: Writing): Promise<ExportManifest> {
  const { archive, plan, options, extras, target, run } = writing
  const { event, scope, ctx } = snapshot
  const asOf = scope.asOf.toISOString()
  const pseudonyms = options.personalData === 'none' ? createPseudonymizer() : null
  await archive.addText(
    'README.txt',
    writeReadme({ event: event.name, asOf, requestedBy: run.requested_by_name, personalData: options.personalData }),
  )
  await archive.addText('dictionary.json', toJson(describeFields(plan.entities)))
  for (const entity of plan.entities) await writeEntity(snapshot, writing, entity, pseudonyms)
  for (const { path, content } of extras.config) await archive.addText(path, toJson(content))
  for (const file of extras.files) {
    const id = pseudonyms ? pseudonyms.toPseudonym(file.id) : file.id
    await archive.add(`files/${id}-${file.name}`, await openFile(target.files, file))
  }
  const totals = await readEventTotals(snapshot)
  const manifest: ExportManifest = {
    formatVersion: 1,
    event: { code: event.code, name: event.name, client: ctx.client.code },
    asOf,
    requestedBy: run.requested_by_name,
    app: run.app,
    options,
    files: [...archive.files],
    totals,
    leftOut: [...plan.leftOut, ...extras.leftOut, ...listUnavailableMetrics(totals)],
  }
  await archive.addText('manifest.json', toJson(manifest))
  const sums = archive.files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join('')
  await archive.addText('SHA256SUMS', sums)
  archive.close()
  return manifest
}

/** Writes the rows of an entity once in each format. All rows come from one database snapshot, so every format has the same rows. */
async function writeEntity(
  snapshot: QuerySnapshot,
  { archive, options, progress }: Writing,
  { name, fields }: ExportedEntity,
  pseudonyms: Pseudonymizer | null,
): Promise<void> {
  const { includeTestData } = options
  const columns = fields.map(({ path, field }) => ({
    name: path,
    label: field.label,
    type: field.type,
    class: field.class ?? ('open' as const),
  }))
  for (const format of options.formats) {
    let rows = 0
    async function* read() {
      const paths = fields.map(({ path }) => path).filter((path) => path !== 'id')
      for await (const row of streamAllQueryRows(snapshot, { entity: name, fields: paths, includeTestData }).rows) {
        progress.onRow()
        rows++
        yield pseudonyms ? pseudonyms.replaceIn(row, fields) : row
      }
    }
    const content =
      format === 'csv'
        ? writeCsv({ columns, rows: read() }, { header: (column) => column.name, currency: (column) => `${column.name}.currency` })
        : writeJsonLines({ rows: read() })
    await archive.add(`data/${name}.${format === 'csv' ? 'csv' : 'jsonl'}`, content, { entity: name, rows: () => rows })
  }
}
