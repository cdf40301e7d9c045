import { createFile } from '../../../domains/files/files.ts'
import { getRoomingListFile } from '../../../domains/housing/rooming/files.ts'
import { addAttestation, PCI_DOCUMENT_TYPES, PCI_ATTESTATION_RESULTS } from '../../../domains/housing/pci/records.ts'
import { sendHotelAccessLinks } from '../../../domains/housing/rooming/lists.ts'
import { saveHotelPickupReport, readHotelPickupReport } from '../../../domains/housing/rooming/pickup.ts'
import { reportNoShows, saveConfirmationNumbers } from '../../../domains/housing/rooming/reports.ts'
import { listRoomsOfRoomingList } from '../../../domains/housing/rooming/rows.ts'
import { toRoomingListCsv, toRoomingListWorkbook } from '../../../domains/housing/rooming/table.ts'
import { completePickupMilestone } from '../../../domains/supplier-contracts/milestones.ts'
import { day, object, oneOf, text } from '../../../kernel/args.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { sendFileAsDownload } from '../../files/send-file.ts'
import { toFormErrors, createEventRouter } from '../event/event-layout.tsx'
import { validateFormFields } from '../fields.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../uploads.ts'
import { type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { runHotelChange, withHotelAccess, HOTEL_PATH, type HotelPageContext, requireSameOriginHotelForm } from './hotel-site.tsx'
import { showPickupPage } from './pickup-page.tsx'
import { showRoomingListPage } from './rooming-page.tsx'

const Attestation = object({
  documentType: oneOf(PCI_DOCUMENT_TYPES),
  result: oneOf(PCI_ATTESTATION_RESULTS),
  assessedOn: day(),
  dssVersion: text(20),
  entityLegalName: text(200),
  signedBy: text(200),
})

const ATTESTATION_BYTES = 20 * 1024 * 1024

async function saveNumbers(web: WebServices, c: WebContext, at: HotelPageContext) {
  const form = requireSameOriginHotelForm(await readSameOriginForm(web, c))
  const given = Object.entries(form).flatMap(([name, number]) => {
    const [, reservationId] = /^n-([0-9a-f]{24})$/.exec(name) ?? []
    return reservationId ? [{ reservationId, number, shown: form[`was-${reservationId}`] ?? '' }] : []
  })
  const result = await runHotelChange(web, at, 'save_hotel_confirmations', (ctx) => saveConfirmationNumbers(ctx, at.hotel.id, given))
  if (result.errors.length > 0) return showRoomingListPage(web, c, at, { failed: result })
  return c.redirect(`${at.home}?done=numbers&count=${result.saved}`, 303)
}

async function saveAttestation(web: WebServices, c: WebContext, at: HotelPageContext) {
  const { tenantId } = at.site
  const target = { tenantId, purpose: 'contract' as const, accept: ['application/pdf'], maxBytes: ATTESTATION_BYTES }
  const { form, files, refused } = requireSameOriginHotelForm(await readFormWithFiles(web, c, { aoc: target }))
  const { say } = at.site.words
  const labels: Record<string, string> = {
    documentType: say('hotel.cards.type'),
    result: say('hotel.cards.result'),
    assessedOn: say('hotel.cards.assessed'),
    dssVersion: say('hotel.cards.version'),
    entityLegalName: say('hotel.cards.entity'),
    signedBy: say('hotel.cards.signedBy'),
    aoc: say('hotel.cards.file'),
  }
  const { documentType, result, assessedOn, dssVersion, entityLegalName, signedBy } = form
  const read = validateFormFields(
    Attestation,
    { documentType, result, assessedOn, dssVersion, entityLegalName, signedBy },
    (path) => labels[path] ?? '',
  )
  const errors = [
    ...('errors' in read ? (read.errors ?? []) : []),
    ...refused,
    ...(files.length === 0 && refused.length === 0 ? [{ path: 'aoc', message: say('hotel.cards.file') }] : []),
  ]
  if ('errors' in read || errors.length > 0) return showRoomingListPage(web, c, at, { cardErrors: toFormErrors(at.site, errors) })
  await commitThenDeleteUnusedUploads(web, { tenantId }, files, () =>
    runHotelChange(web, at, 'upload_hotel_attestation', async (ctx) => {
      const { id: fileId } = await createFile(ctx, files[0]!.upload, {
        clientId: ctx.client.id,
        owner: { kind: 'hotel', id: at.hotel.id },
      })
      await addAttestation(ctx, at.hotel, { ...read.data, propertyCovered: form['covers'] === 'on', fileId })
      return { deletedFiles: [] }
    }),
  )
  return c.redirect(`${at.home}?done=attestation`, 303)
}

const NUMBER = /^\d{1,5}$/

async function savePickupForm(web: WebServices, c: WebContext, at: HotelPageContext) {
  const form: FormValues = requireSameOriginHotelForm(await readSameOriginForm(web, c))
  const { say } = at.site.words
  const pickup = await readHotelPickupReport(at.reading, at.hotel.id)
  const isFinal = form['do'] === 'send'
  const fields = pickup.nights.flatMap(({ night }) => [`occupied-${night}`, `resold-${night}`])
  const errors = fields
    .filter((name) => !NUMBER.test(form[name]?.trim() ?? '') || Number(form[name]) > 10_000)
    .map((path) => ({ path, message: say('hotel.pickup.number') }))
  const nights = pickup.nights.map(({ night }) => ({
    night,
    occupied: Number(form[`occupied-${night}`]),
    resold: Number(form[`resold-${night}`]),
  }))
  const reason = (form['reason'] ?? '').trim().slice(0, 1000)
  const differs = pickup.nights.some(({ ours }, index) => nights[index]!.occupied !== ours)
  if (isFinal && differs && reason === '') errors.push({ path: 'reason', message: say('hotel.pickup.reasonNeeded') })
  if (isFinal && form['final'] !== 'on') errors.push({ path: 'final', message: say('hotel.pickup.tick') })
  if (errors.length > 0) return showPickupPage(web, c, at, { sent: form, formErrors: toFormErrors(at.site, errors) })
  await runHotelChange(web, at, 'report_hotel_pickup', async (ctx) => {
    await saveHotelPickupReport(ctx, at.hotel, { nights, reason, isFinal })
    if (isFinal) await completePickupMilestone(ctx, at.hotel.id)
  })
  return c.redirect(`${at.home}/pickup?done=${isFinal ? 'final' : 'draft'}`, 303)
}

async function saveNoShows(web: WebServices, c: WebContext, at: HotelPageContext) {
  const form = requireSameOriginHotelForm(await readSameOriginForm(web, c))
  const ids = Object.keys(form).flatMap((name) => /^gone-([0-9a-f]{24})$/.exec(name)?.[1] ?? [])
  const count = await runHotelChange(web, at, 'report_no_shows', (ctx) => reportNoShows(ctx, at.hotel.id, ids))
  return c.redirect(`${at.home}/pickup?done=noShows&count=${count}`, 303)
}

/** Emails a new link, only to the email address that the old link was for, and only while it belongs to a contact of the hotel. */
async function sendFreshLink(web: WebServices, c: WebContext, at: HotelPageContext) {
  requireSameOriginHotelForm(await readSameOriginForm(web, c))
  const { email } = at.link.contact
  const contact = at.hotel.contacts.find((one) => foldEmailCase(one.email) === foldEmailCase(email))
  if (contact) await runHotelChange(web, at, 'send_hotel_link', (ctx) => sendHotelAccessLinks(ctx, at.hotel, [contact]))
  return c.redirect(`${at.home}?done=link`, 303)
}

async function download(c: WebContext, at: HotelPageContext, format: 'csv' | 'xlsx') {
  const rooms = await listRoomsOfRoomingList(at.reading, at.hotel.id)
  const body = format === 'csv' ? toRoomingListCsv(rooms, at.site.words) : await toRoomingListWorkbook(rooms, at.site.words)
  return c.body(body as string, 200, {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'content-disposition': `attachment; filename="rooming-list-${at.hotel.code}.${format}"`,
    'cache-control': 'no-store',
  })
}

/** Sends a file of a rooming list as it was sent to the hotel. The link is checked at every download. */
const sendVersion = async (web: WebServices, c: WebContext, at: HotelPageContext) =>
  sendFileAsDownload(web.services.files, c, await getRoomingListFile(at.reading, at.hotel.id, c.req.param('file') ?? ''))

/** `/hotel/<token>`: the pages of a hotel. GET changes nothing, because mail scanners open every link. */
export function hotelPages(web: WebServices) {
  const on = (handle: (web: WebServices, c: WebContext, at: HotelPageContext) => Promise<Response>) =>
    withHotelAccess(web, (c, at) => handle(web, c, at))
  return createEventRouter(web)
    .get(HOTEL_PATH, on(showRoomingListPage))
    .post(HOTEL_PATH, on(saveNumbers))
    .get(`${HOTEL_PATH}/pickup`, on(showPickupPage))
    .post(`${HOTEL_PATH}/pickup`, on(savePickupForm))
    .post(`${HOTEL_PATH}/no-shows`, on(saveNoShows))
    .post(`${HOTEL_PATH}/attestation`, on(saveAttestation))
    .post(`${HOTEL_PATH}/link`, on(sendFreshLink))
    .get(`${HOTEL_PATH}/lists/:file`, on(sendVersion))
    .get(
      `${HOTEL_PATH}/rooming-list.csv`,
      withHotelAccess(web, (c, at) => download(c, at, 'csv')),
    )
    .get(
      `${HOTEL_PATH}/rooming-list.xlsx`,
      withHotelAccess(web, (c, at) => download(c, at, 'xlsx')),
    )
}
