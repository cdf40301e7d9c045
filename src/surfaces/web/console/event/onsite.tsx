import { createDoorDevice, listDoorDevices, revokeDoorDevice } from '../../../../domains/attendance/door-devices.ts'
import { readDoorRules } from '../../../../domains/attendance/door-rules.ts'
import { getOnsiteSummary } from '../../../../domains/attendance/onsite-summary.ts'
import { name, object, text } from '../../../../kernel/args.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Button, Form, Input, Select } from '../../components/forms.tsx'
import { buildActionColumns, ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { NumberTile, NumberTileRow } from '../../components/outcome.tsx'
import { Card, CopyableText, type TableColumn, TimestampText } from '../../components/parts.tsx'
import { QrCode } from '../../components/qr.tsx'
import { type FormErrors, validateFormFields, catchFormErrors } from '../../fields.ts'
import { passSecretToPage, takeSecretForPage } from '../../one-time-secrets.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { runEventChange, type EventPageContext, CONSOLE_EVENT_PATH, getEventPageContext } from './event-page.ts'

const PATH = `${CONSOLE_EVENT_PATH}/onsite`
const labelOf = (path: string) => (path === 'name' ? 'Name' : 'Entrance')
const NewDevice = object({ name: name(80), gateCode: text(64).optional() })

type Summary = Awaited<ReturnType<typeof getOnsiteSummary>>
type Device = Awaited<ReturnType<typeof listDoorDevices>>[number]

const EVENT_ENTRANCE = 'Event entrance'
type NameEntrance = (code: string) => string

const gateColumns = (nameOf: NameEntrance): TableColumn<Summary['byGate'][number]>[] => [
  { label: 'Entrance', lead: true, cell: ({ code }) => <bdi>{code === 'event' ? EVENT_ENTRANCE : nameOf(code)}</bdi> },
  {
    label: 'Inside',
    number: true,
    cell: ({ inside, capacity }) =>
      capacity === undefined ? formatInteger(inside) : `${formatInteger(inside)} of ${formatInteger(capacity)}`,
  },
  { label: 'In', number: true, cell: (gate) => formatInteger(gate.in) },
  { label: 'Out', number: true, cell: (gate) => formatInteger(gate.out) },
  { label: 'Refused', number: true, cell: ({ refused }) => formatInteger(refused) },
]

const Figures = ({ summary }: { summary: Summary }) => (
  <NumberTileRow four>
    <NumberTile title="Inside now" number={formatInteger(summary.insideNow)} />
    <NumberTile title="Checked in" number={formatInteger(summary.checkedIn)} note={`of ${formatInteger(summary.expected)}`} />
    <NumberTile title="Checked out" number={formatInteger(summary.checkedOut)} />
    <NumberTile title="Refused scans" number={formatInteger(Object.values(summary.refusals).reduce((sum, count) => sum + count, 0))} />
  </NumberTileRow>
)

const deviceColumns = (csrf: string | null, base: string, nameOf: NameEntrance): TableColumn<Device>[] => [
  { label: 'Device', lead: true, cell: (device) => <bdi>{device.name}</bdi> },
  { label: 'Entrance', cell: ({ gate_code }) => <bdi>{gate_code === null ? EVENT_ENTRANCE : nameOf(gate_code)}</bdi> },
  { label: 'Added by', cell: ({ created_by_name }) => <bdi>{created_by_name}</bdi> },
  { label: 'Last used', cell: ({ last_seen_at }) => <TimestampText at={last_seen_at} /> },
  ...buildActionColumns<Device>(csrf !== null, ({ id, name: about }) => ({
    action: `${base}/onsite/${id}/revoke`,
    csrf: csrf!,
    label: 'Lock out',
    about,
    danger: true,
  })),
]

/** The link of a new device, shown once, as a QR code to scan with the phone at the door. */
const DeviceLink = ({ link }: { link: string }) => (
  <Card title="Scan this code with the phone at the door">
    <div class="stack">
      <QrCode text={link} label="Link of the door device" />
      <CopyableText id="door-link" text={link} />
      <p class="small muted">The link is shown once. It opens the scanner without a sign-in, until you lock the device out.</p>
    </div>
  </Card>
)

async function sendOnsitePage(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors) {
  const { reading, base, permissions } = at
  const [summary, devices, { config }] = [
    await getOnsiteSummary(reading, { bucketMinutes: 60 }),
    await listDoorDevices(reading),
    await readDoorRules(reading),
  ]
  const token = takeSecretForPage(web, c, `${base}/onsite`)
  const csrf = permissions.has('onsite.write') ? getCsrfToken(web, c) : null
  const gates = config.onsite.gates.map(({ code, name: label }) => ({ value: code, label }))
  const nameOf: NameEntrance = (code) => gates.find(({ value }) => value === code)?.label ?? code
  const page = renderContentPage(
    {
      title: `On site at ${at.event.name}`,
      heading: 'On site',
      text: 'Who is here, and the devices that scan badges at the doors.',
      crumbs: [{ href: base, label: at.event.name }],
      formErrors,
    },
    <div class="stack">
      {token ? <DeviceLink link={`${web.services.baseUrl}/door/d/${token}`} /> : null}
      <Figures summary={summary} />
      <ListCard
        caption="Entrances"
        title="Entrances"
        columns={gateColumns(nameOf)}
        rows={summary.byGate}
        empty={{
          title: 'No entrances yet',
          text: 'Entrances are set up in the draft of the event. Each has its own rules and counts.',
          ask: `For ${at.event.name}: add entrances for the main door and the gala dinner.`,
        }}
      />
      <ListCard
        caption="Door devices"
        title="Door devices"
        columns={deviceColumns(csrf, base, nameOf)}
        rows={devices}
        empty={csrf === null ? 'No devices yet.' : 'No devices yet. Add a device below, then scan its code with a phone.'}
      />
      {csrf === null ? null : (
        <Card title="Add a door device">
          <Form action={`${base}/onsite`} csrf={csrf} class="stack">
            <Input name="name" label="Name" help="For example: Phone at the main entrance" required />
            {gates.length > 0 ? (
              <Select name="gateCode" label="Entrance" options={[{ value: '', label: EVENT_ENTRANCE }, ...gates]} value="" />
            ) : null}
            <Button tone="primary">Add device</Button>
          </Form>
        </Card>
      )}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'onsite'), page)
}

/** `…/onsite`: live attendance numbers of the entrances (doors), and the devices that scan badges there. */
export function onsitePages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendOnsitePage(web, c, await getEventPageContext(web, c, 'onsite.read')))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'onsite.write')
      const read = validateFormFields(NewDevice, { name: form['name'], gateCode: form['gateCode'] || undefined }, labelOf)
      if ('errors' in read) return sendOnsitePage(web, c, at, read)
      const failed = await catchFormErrors(async () => {
        const token = await runEventChange(web, at, 'create_door_device', (ctx) => createDoorDevice(ctx, read.data))
        passSecretToPage(web, c, `${at.base}/onsite`, token)
      }, labelOf)
      return failed ? sendOnsitePage(web, c, at, failed) : c.redirect(`${at.base}/onsite`, 303)
    })
    .post(`${PATH}/:device/revoke`, async (c) => {
      await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'onsite.write')
      await runEventChange(web, at, 'revoke_door_device', (ctx) => revokeDoorDevice(ctx, c.req.param('device')))
      return c.redirect(`${at.base}/onsite`, 303)
    })
}
