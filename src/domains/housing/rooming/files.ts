import { Readable } from 'node:stream'
import { z } from 'zod'
import { recordChange } from '../../../kernel/audit.ts'
import { notFound } from '../../../kernel/errors.ts'
import { defineJob } from '../../../kernel/jobs.ts'
import { type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { readDraftConfiguration } from '../../configuration/read.ts'
import { createFile, type FileRecord, getFile } from '../../files/files.ts'
import { deleteUpload, type StoredUpload, storeUpload } from '../../files/upload.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import { toRoomingListCsv, toRoomingListWorkbook } from './table.ts'
import type { RoomingListRow } from './tables.ts'

const ROOMING_FORMATS = ['xlsx', 'csv'] as const
type RoomingFormat = (typeof ROOMING_FORMATS)[number]

interface RoomingVersion {
  hotelId: string
  version: number
}

type Uploads = Record<RoomingFormat, StoredUpload>

/** Stores the files of a version of a rooming list, from the rows of that version. Running it again changes nothing. */
export const storeRoomingListFiles = defineJob({
  name: 'store-rooming-list',
  scope: 'event',
  input: z.object({ hotelId: z.string(), version: z.number().int() }),
  async run(job, at) {
    const list = await job.step((ctx) => readListWithoutFiles(ctx, at))
    if (!list) return at
    const target = { db: job.db, files: job.files, log: job.log }
    const store = async (format: RoomingFormat) =>
      storeUpload(target, {
        tenantId: list.tenantId,
        purpose: 'export',
        name: `rooming-list-${list.hotelCode}-${at.version}.${format}`,
        content: Readable.from([await renderList(format, list.rows, list.words)]),
      })
    const uploads = { xlsx: await store('xlsx'), csv: await store('csv') }
    const isSaved = await job.step((ctx) => saveFiles(ctx, at, uploads))
    if (!isSaved) for (const format of ROOMING_FORMATS) await deleteUpload(target, uploads[format])
    return at
  },
})

const renderList = async (format: RoomingFormat, rows: readonly RoomingListRow[], words: Translator): Promise<Buffer> =>
  Buffer.from(format === 'csv' ? toRoomingListCsv(rows, words) : await toRoomingListWorkbook(rows, words))

const selectList = (ctx: HousingQueryContext, { hotelId, version }: RoomingVersion) =>
  eventDb(ctx).selectFrom('rooming_lists').where('hotel_id', '=', hotelId).where('version', '=', version)

/** Reads a version of a rooming list whose files are not stored yet; null if the files exist. */
async function readListWithoutFiles(ctx: HousingContext, at: RoomingVersion) {
  const list = await selectList(ctx, at).select('rows').where('xlsx_file_id', 'is', null).executeTakeFirst()
  if (!list) return null
  const hotel = await eventDb(ctx).selectFrom('event_hotels').select('code').where('id', '=', at.hotelId).executeTakeFirstOrThrow()
  const { facts } = await readDraftConfiguration(ctx)
  return { tenantId: ctx.tenantId, rows: list.rows, hotelCode: hotel.code, words: chooseTranslator(facts.locale) }
}

/** Stores the Excel and CSV files of a version of a rooming list. Returns false if a concurrent run has already stored them. */
async function saveFiles(ctx: HousingContext, at: RoomingVersion, uploads: Uploads): Promise<boolean> {
  const waiting = await selectList(ctx, at).select('version').where('xlsx_file_id', 'is', null).forUpdate().executeTakeFirst()
  if (!waiting) return false
  const place = { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'hotel', id: at.hotelId } }
  const [xlsx, csv] = [await createFile(ctx, uploads.xlsx, place), await createFile(ctx, uploads.csv, place)]
  await eventDb(ctx)
    .updateTable('rooming_lists')
    .set({ xlsx_file_id: xlsx.id, csv_file_id: csv.id })
    .where('hotel_id', '=', at.hotelId)
    .where('version', '=', at.version)
    .execute()
  recordChange(ctx, { kind: 'hotel', id: at.hotelId, after: { roomingList: at.version, fileIds: [xlsx.id, csv.id] } })
  return true
}

/** The versions of a hotel's rooming list, latest first, with the files that are stored. */
export async function listRoomingListVersions(ctx: HousingQueryContext, hotelId: string) {
  const rows = await eventDb(ctx)
    .selectFrom('rooming_lists')
    .select(['version', 'added', 'changed', 'cancelled', 'created_at as createdAt', 'xlsx_file_id', 'csv_file_id'])
    .where('hotel_id', '=', hotelId)
    .orderBy('version', 'desc')
    .execute()
  return rows.map(({ xlsx_file_id, csv_file_id, ...row }) => ({
    ...row,
    fileIds: xlsx_file_id === null || csv_file_id === null ? null : { xlsx: xlsx_file_id, csv: csv_file_id },
  }))
}

export type RoomingListVersion = Awaited<ReturnType<typeof listRoomingListVersions>>[number]

/** Finds a stored file of a rooming list by the name that web pages use: version number and format, such as `2.xlsx`. */
export async function getRoomingListFile(ctx: HousingContext, hotelId: string, name: string): Promise<FileRecord> {
  const [, version = '', format] = /^([1-9]\d{0,5})\.(xlsx|csv)$/.exec(name) ?? []
  const list =
    format &&
    (await selectList(ctx, { hotelId, version: Number(version) })
      .select(['xlsx_file_id', 'csv_file_id'])
      .executeTakeFirst())
  const fileId = list && (format === 'xlsx' ? list.xlsx_file_id : list.csv_file_id)
  if (!fileId) throw notFound(`No rooming list file ${name}`)
  return getFile(ctx, { fileId, clientId: ctx.client.id, eventId: ctx.event.id, purpose: 'export' })
}
