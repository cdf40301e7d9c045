import {
  type GuestListColumnLabels,
  formatGuestList,
  GUEST_COLUMNS,
  type GuestColumn,
  type GuestListRoom,
  MAX_GUEST_LIST_BYTES,
  readGuestList,
} from '../../../domains/block-requests/guest-list.ts'
import { MAX_LISTED_GUESTS, assignBlockRoomsToGuests } from '../../../domains/block-requests/guests.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import type { MessageKey } from '../../../kernel/language/translator.ts'
import { englishTexts } from '../../../kernel/language/words/en.ts'
import type { MultipartFile } from '../../http/multipart.ts'
import { readFormFields } from '../../http/read-form.ts'
import { ErrorSummary, Form } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { BackLink, createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, type EventSite } from '../event/event-site.ts'
import type { FormErrors } from '../fields.ts'
import { toFormValues } from '../form-values.ts'
import { translateFieldError } from '../register/messages.ts'
import { getCsrfToken, isSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { withRoomRequestAccess, type ManagedRoomRequest, ROOM_REQUEST_PATH } from './access.tsx'
import { readRequestView, type RequestView } from './request-view.ts'

const PATH = `${ROOM_REQUEST_PATH}/:token/guests`

const COLUMN_LABELS = {
  firstName: 'blockRequest.firstName',
  lastName: 'blockRequest.lastName',
  email: 'blockRequest.email',
  hotel: 'blockRequest.hotel',
  roomType: 'blockRequest.roomType',
  checkIn: 'blockRequest.arrival',
  checkOut: 'blockRequest.departure',
  occupants: 'housing.occupants',
} as const satisfies Record<GuestColumn, MessageKey>

const labelsFor = ({ words }: EventSite): GuestListColumnLabels =>
  Object.fromEntries(
    GUEST_COLUMNS.map((column) => [column, [words.say(COLUMN_LABELS[column]), englishTexts[COLUMN_LABELS[column]]]]),
  ) as unknown as GuestListColumnLabels

const listRooms = ({ rooms }: RequestView): GuestListRoom[] =>
  rooms.map(({ value, hotel, roomType }) => {
    const [hotelId = '', roomTypeCode = ''] = value.split(' ')
    return { hotelId, roomTypeCode, hotel, roomType }
  })

const homeOf = (c: WebContext) => c.req.path.replace(/\/guests(\.csv)?$/, '')

/** Converts the errors of an uploaded guest list to errors of the form. Each message names the row of the spreadsheet. */
function toListErrors(site: EventSite, error: AppError, rowOf: (index: number) => number = (row) => row): FormErrors {
  const { words, config } = site
  const fields = error.details.fields ?? []
  if (fields.length === 0) return { message: words.say('blockRequest.refused') }
  const errors: FieldError[] = fields.slice(0, 50).map((field) => {
    const [first = '', ...path] = field.path.split('/')
    const problem = translateFieldError({ words, config, missing: [] }, { ...field, path: path.join('/') })
    if (!/^\d+$/.test(first)) return { path: 'file', message: problem }
    return { path: 'file', message: words.say('blockRequest.rowError', { row: rowOf(Number(first)), problem }) }
  })
  return { message: words.say('blockRequest.listRefused'), errors }
}

async function readContent({ content }: MultipartFile): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    size += (chunk as Buffer).length
    if (size <= MAX_GUEST_LIST_BYTES) chunks.push(chunk as Buffer)
  }
  return size > MAX_GUEST_LIST_BYTES ? null : Buffer.concat(chunks)
}

/** Reads the file of the form; null if another site submitted the form, which must then be ignored. */
async function readListForm(web: WebServices, c: WebContext): Promise<{ file: { name: string; content: Buffer | null } | null } | null> {
  let file: { name: string; content: Buffer | null } | null = null
  const isOwn = (fields: Parameters<typeof toFormValues>[0]) => isSameOriginForm(web, c, toFormValues(fields))
  const take = async (sent: MultipartFile) => {
    const content = await readContent(sent)
    // A browser sends an empty file without a name if none was chosen.
    if (sent.name !== '' || content === null || content.length > 0) file = { name: sent.name, content }
  }
  const fields = await readFormFields(c.env.incoming, { maxBytes: 4 * MAX_GUEST_LIST_BYTES, maxFiles: 1, isOwn, take })
  return fields && isOwn(fields) ? { file } : null
}

/** `…/housing/request/<token>/guests`: names the guests of a CSV or Excel list, and downloads the list. */
export function guestListPages(web: WebServices) {
  const show = (c: WebContext, open: ManagedRoomRequest, formErrors: FormErrors | null = null) => {
    const { say } = open.site.words
    const home = homeOf(c)
    return showEventPage(
      web,
      c,
      open.site,
      { title: say('blockRequest.uploadTitle'), status: formErrors ? 400 : 200, referrer: 'no-referrer' },
      <div class="mine narrow">
        <BackLink href={home}>{open.requester.name}</BackLink>
        <div class="stack">
          <h1>{say('blockRequest.uploadTitle')}</h1>
          <p class="lead">{say('blockRequest.uploadText', { limit: MAX_LISTED_GUESTS })}</p>
          <ErrorSummary {...formErrors} />
          <Card>
            <Form action={`${home}/guests`} csrf={getCsrfToken(web, c)} class="stack" files>
              <div class="upload">
                <label for="file">{say('blockRequest.file')}</label>
                <input
                  type="file"
                  id="file"
                  name="file"
                  accept=".csv,.tsv,.xlsx"
                  required
                  aria-invalid={formErrors ? 'true' : undefined}
                  aria-describedby="file-help"
                />
                <p class="help" id="file-help">
                  {say('blockRequest.columns', { columns: GUEST_COLUMNS.map((column) => say(COLUMN_LABELS[column])).join(', ') })}
                </p>
              </div>
              <div class="form-foot">
                <a class="tap" href={`${home}/guests.csv?empty=1`}>
                  {say('blockRequest.template')}
                </a>
                <button type="submit" class="button primary">
                  {say('blockRequest.uploadButton')}
                </button>
              </div>
            </Form>
          </Card>
        </div>
      </div>,
    )
  }

  const upload = withRoomRequestAccess(web, async (c, open) => {
    const { site, row, email, actor } = open
    const { say } = site.words
    const form = await readListForm(web, c)
    if (!form) return c.redirect(c.req.path, 303)
    const { file } = form
    const fileError = (message: string): FormErrors => ({ message: say('blockRequest.listRefused'), errors: [{ path: 'file', message }] })
    if (file === null) return show(c, open, fileError(say('blockRequest.noFile')))
    if (file.content === null) return show(c, open, fileError(say('error.fileSize', { limit: '2 MB' })))
    let rows: readonly { row: number }[] | null = null
    try {
      const guests = await readGuestList(
        { name: file.name, content: file.content },
        labelsFor(site),
        listRooms(await readRequestView(open)),
      )
      rows = guests
      await runChangeFromEventPage(web, site, { action: 'name_block_guests', actor }, (ctx) =>
        assignBlockRoomsToGuests(ctx, row.id, guests, email),
      )
      return c.redirect(`${homeOf(c)}?done=guests&count=${guests.length}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      const read = rows
      return show(c, open, toListErrors(site, error, read === null ? undefined : (index) => read[index]!.row))
    }
  })

  const download = withRoomRequestAccess(web, async (c, open) => {
    const { words } = open.site
    const view = await readRequestView(open)
    const rows = c.req.query('empty') ? [] : view.guests.map((guest) => toRow(guest, view))
    const headings = GUEST_COLUMNS.map((column) => words.say(COLUMN_LABELS[column]))
    c.header('content-type', 'text/csv; charset=utf-8')
    c.header('content-disposition', `attachment; filename="guests-${(open.row.number ?? 'list').toLowerCase()}.csv"`)
    c.header('cache-control', 'no-store')
    return c.body(`\uFEFF${formatGuestList(headings, rows)}`)
  })

  return createEventRouter(web)
    .get(
      PATH,
      withRoomRequestAccess(web, async (c, open) => (open.row.status === 'accepted' ? show(c, open) : c.redirect(homeOf(c), 303))),
    )
    .post(PATH, upload)
    .get(`${PATH}.csv`, download)
}

function toRow(guest: RequestView['guests'][number], view: RequestView): string[] {
  const { hotel, roomType } = view.toRoom(guest.hotelId, guest.roomTypeCode)
  return [guest.firstName, guest.lastName, guest.email ?? '', hotel, roomType, guest.checkIn, guest.checkOut, String(guest.occupants)]
}
