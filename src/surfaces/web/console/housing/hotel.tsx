import { getFile } from '../../../../domains/files/files.ts'
import { createFileLinkBuilder } from '../../../../domains/files/links.ts'
import { findHotel, type EventHotel } from '../../../../domains/housing/find-hotel.ts'
import {
  explainOverrideRefusal,
  PCI_OVERRIDE_PERMISSIONS,
  pciOverrideArguments,
  overridePciRequirement,
} from '../../../../domains/housing/pci/override.ts'
import { reviewAttestation } from '../../../../domains/housing/pci/records.ts'
import {
  type HotelPciStatus,
  listHotelPciStatuses,
  getAttestationExpiry,
  type PciRecordRow,
} from '../../../../domains/housing/pci/status.ts'
import { addHotelContact } from '../../../../domains/housing/rooming/contacts.ts'
import { revokeHotelAccessLinks } from '../../../../domains/housing/rooming/links.ts'
import { sendHotelAccessLinks, sendRoomingList } from '../../../../domains/housing/rooming/lists.ts'
import { listRoomingListVersions } from '../../../../domains/housing/rooming/files.ts'
import { listRoomNightCountsBySource, computePickupPercent, sumRoomNightCounts } from '../../../../domains/housing/summary/figures.ts'
import { object } from '../../../../kernel/args.ts'
import { parseFormInput } from '../../../../kernel/parse-input.ts'
import { formatDate } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Button, Form, Input, TextArea } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, Card, DescriptionList, StatusDot, TimestampText } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { PCI_STATUS_COLOURS } from '../../hotel/side-cards.tsx'
import { runEventChange, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { OccupancyHeatMap } from './heat-grid.tsx'
import { HotelContractStatus, HOUSING_PATH, toOccupancyRow } from './overview.tsx'
import { RoomingListVersions } from './rooming-lists.tsx'

const PATH = `${HOUSING_PATH}/:hotel`

interface HotelPage extends EventHotel {
  at: EventPageContext
  pci: HotelPciStatus
  /** Returns the link to the uploaded document of a card security (PCI) attestation. */
  documentUrl: (record: PciRecordRow) => string
  here: string
}

async function getHotelPage(web: WebServices, c: WebContext, permission: 'housing.read' | 'housing.write'): Promise<HotelPage> {
  const at = await getEventPageContext(web, c, permission)
  const found = await findHotel(at.reading, c.req.param('hotel') ?? '')
  const [pci] = await listHotelPciStatuses(at.reading, [found.hotel.id])
  return { ...found, at, pci: pci!, documentUrl: await createDocumentLinker(at, pci!), here: `${at.base}/housing/${found.hotel.code}` }
}

const SALE_LABELS: Record<EventHotel['hotel']['sell_status'], string> = {
  open: 'On sale',
  changes: 'Only changes of booked rooms',
  changesSameType: 'Only changes within the same room type',
  closed: 'Closed',
}

const LINK_SECONDS = 600

async function createDocumentLinker({ reading }: EventPageContext, { record, renewal }: HotelPciStatus): Promise<HotelPage['documentUrl']> {
  const linkOf = await createFileLinkBuilder(reading, LINK_SECONDS)
  const urls = new Map<string, string>()
  for (const { file_id: fileId } of [record, renewal].filter((one) => one !== null))
    urls.set(fileId, linkOf(await getFile(reading, { fileId, clientId: reading.client.id })))
  return ({ file_id }) => urls.get(file_id)!
}

const AttestationFacts = ({ record, documentUrl }: { record: PciRecordRow; documentUrl: HotelPage['documentUrl'] }) => (
  <DescriptionList
    rows={[
      ['Document', <a href={documentUrl(record)}>{record.document_type}</a>],
      ['Legal name', <bdi>{record.entity_legal_name}</bdi>],
      ['Assessed', formatDate(record.assessed_on)],
      ['Valid until', formatDate(getAttestationExpiry(record))],
      ['Names this property', record.property_covered ? 'Yes' : 'No'],
      ...(record.decision_reason ? ([['Rejected because', <bdi>{record.decision_reason}</bdi>]] as [string, never][]) : []),
    ]}
  />
)

const ReviewForm = ({ here, csrf, record }: { here: string; csrf: string; record: PciRecordRow }) => (
  <Form action={`${here}/attestation`} csrf={csrf} class="stack">
    <input type="hidden" name="record" value={record.id} />
    <TextArea name="reason" label="Reason, if you reject it" rows={2} />
    <div class="actions">
      <Button tone="primary" name="decision" value="accepted">
        Accept attestation
      </Button>
      <Button tone="danger" name="decision" value="rejected">
        Reject
      </Button>
    </div>
  </Form>
)

interface OverrideAction {
  value: 'grant' | 'revoke'
  /** The name of the text field for the reason. The two forms use different names, so that a rejected form keeps its text. */
  field: 'grantReason' | 'revokeReason'
  label: string
  button: string
}

const REVOKE: OverrideAction = {
  value: 'revoke',
  field: 'revokeReason',
  label: 'Why cards are withheld again',
  button: 'Revoke override',
}
const CANCEL_REQUEST: OverrideAction = { ...REVOKE, label: 'Why no override is needed', button: 'Cancel request' }
const GRANT: OverrideAction = {
  value: 'grant',
  field: 'grantReason',
  label: 'Why cards may go to this hotel without a valid attestation',
  button: 'Grant override',
}
const REQUEST: OverrideAction = { ...GRANT, button: 'Request override' }

/** Whether this user can only request that cards are sent without an attestation, because a second person must grant it. */
const needsRequest = ({ record, request }: HotelPciStatus, userId: string): boolean =>
  !record?.reviewed_by && (request === null || request.requested_by === userId)

/** The forms that allow sending guests' payment cards to a hotel without a valid security attestation, or end that override. */
const OverrideForms = ({ page: { at, pci, here }, csrf }: { page: HotelPage; csrf: string }) => {
  const refusal = pci.override ? null : explainOverrideRefusal(pci, at.session.userId)
  const isRequest = needsRequest(pci, at.session.userId)
  const actions = [
    ...(pci.override || refusal !== null || (isRequest && pci.request) ? [] : [isRequest ? REQUEST : GRANT]),
    ...(pci.override ? [REVOKE] : pci.request ? [CANCEL_REQUEST] : []),
  ]
  return (
    <>
      {refusal === null ? null : <p>{refusal}.</p>}
      {!pci.override && isRequest && refusal === null ? (
        <p>{pci.request ? 'A second person must grant this override.' : 'A second person must then grant this override.'}</p>
      ) : null}
      {actions.map(({ value, field, label, button }) => (
        <Form action={`${here}/override`} csrf={csrf} class="stack">
          <TextArea name={field} label={label} rows={2} />
          {value === 'grant' ? (
            <Input name="until" type="date" label="Last day" {...(pci.request ? { max: pci.request.until } : {})} />
          ) : null}
          <div class="actions">
            <Button tone="danger" name="action" value={value}>
              {button}
            </Button>
          </div>
        </Form>
      ))}
    </>
  )
}

const CardSecurity = ({ page, csrf }: { page: HotelPage; csrf: string | null }) => {
  const { at, hotel, pci, here, documentUrl } = page
  const { record, renewal, override, request, status, cardsWaiting } = pci
  const name = `${status.charAt(0).toUpperCase()}${status.slice(1)}`
  const toReview = status === 'received' ? record : renewal
  return (
    <Card title="Card security">
      <div class="stack">
        <DescriptionList
          rows={[
            ['Attestation', <StatusDot tone={PCI_STATUS_COLOURS[status]}>{name}</StatusDot>],
            ...(override
              ? ([['Override', `until ${formatDate(override.until)}, by ${override.granted_by_name}: ${override.reason}`]] as [
                  string,
                  string,
                ][])
              : []),
            ...(request
              ? ([['Override requested', `until ${formatDate(request.until)}, by ${request.requested_by_name}: ${request.reason}`]] as [
                  string,
                  string,
                ][])
              : []),
            ['Cards withheld', formatInteger(cardsWaiting)],
          ]}
        />
        {record ? <AttestationFacts record={record} documentUrl={documentUrl} /> : null}
        {renewal ? (
          <>
            <h3>New attestation</h3>
            <AttestationFacts record={renewal} documentUrl={documentUrl} />
          </>
        ) : null}
        {csrf !== null && toReview ? <ReviewForm here={here} csrf={csrf} record={toReview} /> : null}
        {csrf !== null && !pci.isOpen && record?.result !== 'nonCompliant' ? (
          <AssistantPrompt id="ask-attestation" text={`Ask ${hotel.name} for its PCI attestation. Show me the email first.`} />
        ) : null}
        {csrf !== null && (override !== null || !pci.isOpen) && PCI_OVERRIDE_PERMISSIONS.every((one) => at.permissions.has(one)) ? (
          <OverrideForms page={page} csrf={csrf} />
        ) : null}
      </div>
    </Card>
  )
}

const Contacts = ({
  page: { hotel, here },
  csrf,
  list,
}: {
  page: HotelPage
  csrf: string | null
  list: { version: number; createdAt: Date } | undefined
}) => (
  <Card title="Contacts and rooming list">
    <div class="stack">
      <DescriptionList
        rows={[
          ['Contacts', hotel.contacts.length === 0 ? 'None' : hotel.contacts.map(({ name, email }) => `${name} (${email})`).join(', ')],
          [
            'Rooming list',
            list ? (
              <>
                version {list.version}, sent <TimestampText at={list.createdAt} />
              </>
            ) : (
              'Not sent yet'
            ),
          ],
        ]}
      />
      {csrf === null ? null : (
        <>
          <Form action={`${here}/contacts`} csrf={csrf} class="stack">
            <Input name="name" label="Name of the contact" maxlength={120} required />
            <Input name="email" type="email" label="Email" maxlength={254} required />
            <Button>Add contact</Button>
          </Form>
          {hotel.contacts.length === 0 ? null : (
            <div class="actions">
              <Form action={`${here}/list`} csrf={csrf}>
                <Button>Send the rooming list now</Button>
              </Form>
              <Form action={`${here}/link`} csrf={csrf}>
                <Button>Send a link to the hotel’s page</Button>
              </Form>
              <Form action={`${here}/revoke`} csrf={csrf}>
                <Button tone="danger">Turn off all links</Button>
              </Form>
            </div>
          )}
        </>
      )}
    </div>
  </Card>
)

async function sendHotelPage(web: WebServices, c: WebContext, page: HotelPage, formErrors?: FormErrors | null) {
  const { at, hotel, contract, types } = page
  const pools = await listRoomNightCountsBySource(at.reading, hotel.id)
  const figures = sumRoomNightCounts(pools)
  const nights = [...new Set(pools.map(({ night }) => night))].sort()
  const versions = await listRoomingListVersions(at.reading, hotel.id)
  const csrf = at.permissions.has('housing.write') ? getCsrfToken(web, c) : null
  const shown = renderContentPage(
    {
      title: `${hotel.name}, ${at.event.name}`,
      heading: hotel.name,
      text: [hotel.address.city, `${formatInteger(figures.pickup)} of ${formatInteger(figures.contracted)} room nights booked`]
        .filter(Boolean)
        .join(' · '),
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/housing`, label: 'Housing' },
      ],
      formErrors,
    },
    <div class="stack">
      {nights.length > 0 ? (
        <Card title="Pickup by night">
          <OccupancyHeatMap nights={nights} rows={[toOccupancyRow(at.base, { hotel, contract, pools })]} />
        </Card>
      ) : null}
      <Card title="Contract">
        <DescriptionList
          rows={[
            ['Status', <HotelContractStatus contract={contract} />],
            ['Sale', SALE_LABELS[hotel.sell_status]],
            ['Room types', types.map(({ name }) => name).join(', ') || 'None'],
            ['Cut-off', contract?.cutoff_on ? formatDate(contract.cutoff_on) : '–'],
            ['Rooming list due', contract?.rooming_list_due_on ? formatDate(contract.rooming_list_due_on) : '–'],
            ['Pickup', `${computePickupPercent(figures) ?? 0}%`],
            ['Free to book', formatInteger(figures.freeSell)],
          ]}
        />
      </Card>
      <Contacts page={page} csrf={csrf} list={versions[0]} />
      <RoomingListVersions versions={versions} here={page.here} seesGuests={at.permissions.has('personal.read')} />
      <CardSecurity page={page} csrf={csrf} />
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'housing'), shown)
}

const LABELS: Record<string, string> = { email: 'Email', reason: 'Reason', until: 'Last day', name: 'Name' }
const labelOf = (path: string) => LABELS[path] ?? ''

const OverrideInput = object(pciOverrideArguments).omit({ hotelId: true })

/** `…/housing/<hotel>`: contract, contacts, rooming list and payment card security of a hotel. */
export function hotelConsolePages(web: WebServices) {
  const changing =
    (action: string, run: (ctx: EventPageContext['reading'], page: HotelPage, form: Record<string, string>) => Promise<unknown>) =>
    async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const page = await getHotelPage(web, c, 'housing.write')
      const failed = await catchFormErrors(() => runEventChange(web, page.at, action, (ctx) => run(ctx, page, form)), labelOf)
      return failed ? sendHotelPage(web, c, page, failed) : c.redirect(page.here, 303)
    }
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendHotelPage(web, c, await getHotelPage(web, c, 'housing.read')))
    .post(
      `${PATH}/contacts`,
      changing('edit_hotel_contacts', (ctx, { hotel }, { name = '', email = '' }) => addHotelContact(ctx, hotel, { name, email })),
    )
    .post(
      `${PATH}/list`,
      changing('send_rooming_list', (ctx, { hotel }) => sendRoomingList(ctx, hotel)),
    )
    .post(
      `${PATH}/link`,
      changing('send_hotel_link', (ctx, { hotel }) => sendHotelAccessLinks(ctx, hotel)),
    )
    .post(
      `${PATH}/revoke`,
      changing('revoke_hotel_links', (ctx, { hotel }) => revokeHotelAccessLinks(ctx, hotel.id)),
    )
    .post(
      `${PATH}/attestation`,
      changing('review_hotel_attestation', (ctx, { hotel }, { record = '', decision, reason }) =>
        reviewAttestation(ctx, hotel, {
          recordId: record,
          decision: decision === 'accepted' ? 'accepted' : 'rejected',
          reason: reason?.trim() || undefined,
        }),
      ),
    )
    .post(
      `${PATH}/override`,
      changing('override_hotel_pci_aoc', (ctx, { at, hotel }, { action, grantReason = '', revokeReason = '', until }) => {
        for (const permission of PCI_OVERRIDE_PERMISSIONS) requirePermission(at.event.name, at.permissions, permission)
        const given = { action, reason: action === 'revoke' ? revokeReason : grantReason, until: until || undefined }
        return overridePciRequirement(ctx, { ...parseFormInput(OverrideInput, given), hotelId: hotel.id })
      }),
    )
}
