import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { listSuppliers } from '../../../../domains/suppliers/search.ts'
import { SUPPLIER_STATES } from '../../../../domains/suppliers/states.ts'
import { SUPPLIER_KINDS } from '../../../../domains/suppliers/supplier-record.ts'
import {
  createSupplierByHand,
  editSupplier,
  getSupplier,
  lockSupplier,
  setSupplierStatus,
} from '../../../../domains/suppliers/suppliers.ts'
import type { MeetingRoom, SupplierAddress, SupplierContact, SupplierRow } from '../../../../domains/suppliers/tables.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { formatInteger } from '../../components/figures.tsx'
import { renderFormPage, SubmitForm } from '../../components/form-page.tsx'
import { Button, Form, LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { ActionsCard, ExpandableAction } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, Notice, StatusDot, type TableColumn, type ColourTone } from '../../components/parts.tsx'
import { buildStatusFilter } from '../../components/search-bar.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type ClientPageContext, getClientPageContext, getClientPageContextForChange, type PagePermissions } from '../client-page.ts'
import { readListQuery } from '../filters.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import {
  moveLineErrorsToFields,
  SUPPLIER_KIND_LABELS,
  SUPPLIER_KIND_OPTIONS,
  readSupplierForm,
  SupplierFields,
  type SupplierInput,
  getSupplierFieldLabel,
  toSupplierFormValues,
} from './supplier-form.tsx'
import { SupplierView } from './supplier-view.tsx'

const SUPPLIERS_PATH = '/console/clients/:code/suppliers'
const PATH = `${SUPPLIERS_PATH}/:supplier`
const PERMISSIONS: PagePermissions = { see: 'sourcing.read', change: 'sourcing.write' }

type Listed = Awaited<ReturnType<typeof listSuppliers>>['suppliers'][number]

const TONES: Record<SupplierRow['status'], ColourTone | undefined> = { unverified: 'warning', verified: 'success', blocked: 'danger' }
const STATUS_LABELS: Record<SupplierRow['status'], string> = { unverified: 'Unverified', verified: 'Verified', blocked: 'Blocked' }
const SupplierStatus = ({ status }: { status: SupplierRow['status'] }) => (
  <StatusDot tone={TONES[status]}>{STATUS_LABELS[status]}</StatusDot>
)

const columns = (base: string): TableColumn<Listed>[] => [
  {
    label: 'Supplier',
    lead: true,
    cell: ({ id, name }) => (
      <a href={`${base}/suppliers/${id}`} dir="auto">
        {name}
      </a>
    ),
  },
  { label: 'Kind', wideOnly: true, cell: ({ kind }) => SUPPLIER_KIND_LABELS[kind] },
  { label: 'City', twoLine: 'detail', cell: ({ city }) => <bdi>{city ?? '–'}</bdi> },
  {
    label: 'Rooms',
    number: true,
    wideOnly: true,
    cell: ({ sleepingRooms }) => (sleepingRooms === undefined ? '–' : formatInteger(sleepingRooms)),
  },
  {
    label: 'Space',
    number: true,
    wideOnly: true,
    cell: ({ totalMeetingSqm }) => (totalMeetingSqm === undefined ? '–' : `${formatInteger(totalMeetingSqm)} m²`),
  },
  { label: 'Status', short: true, twoLine: 'mark', cell: SupplierStatus },
]

const StatusForm = ({ supplier: { status, name }, here, csrf }: { supplier: SupplierRow; here: string; csrf: string }) => (
  <Form action={`${here}/status`} csrf={csrf} class="stack">
    <p class="prose">Blocked suppliers are not found and get no RFPs. Verify a supplier when you have checked what is known about it.</p>
    <div class="actions">
      {SUPPLIER_STATES.all
        .filter((to) => SUPPLIER_STATES.can(status, to))
        .map((to) => (
          <Button tone={to === 'blocked' ? 'danger' : undefined} name="status" value={to}>
            {to === 'blocked' ? `Block ${name}` : to === 'verified' ? 'Mark as verified' : 'Mark as unverified'}
          </Button>
        ))}
    </div>
  </Form>
)

/** Converts the values of the form to an edit that sets every field. */
const toEdit = (given: SupplierInput) => {
  const { latitude, longitude, website, chain, stars, sleepingRooms, totalMeetingSqm, note, address, contacts, meetingRooms, ...required } =
    given
  return {
    ...required,
    address: address as SupplierAddress,
    contacts: contacts as SupplierContact[],
    meetingRooms: meetingRooms as MeetingRoom[],
    latitude: latitude ?? null,
    longitude: longitude ?? null,
    website: website ?? null,
    chain: chain ?? null,
    stars: stars === undefined ? null : stars.toFixed(1),
    sleepingRooms: sleepingRooms ?? null,
    totalMeetingSqm: totalMeetingSqm ?? null,
    note: note ?? null,
  }
}

async function sendSupplier(
  web: WebServices,
  c: WebContext,
  at: ClientPageContext,
  typed: FormValues | null = null,
  formErrors: FormErrors | null = null,
) {
  const supplier = await getSupplier(at.reading, c.req.param('supplier') ?? '')
  const here = `${at.base}/suppliers/${supplier.id}`
  const csrf = getCsrfToken(web, c)
  const form = typed ? { ...typed, revision: String(supplier.revision) } : toSupplierFormValues(supplier)
  const page = renderContentPage(
    {
      title: supplier.name,
      text: [SUPPLIER_KIND_LABELS[supplier.kind], supplier.address.city].filter(Boolean).join(' · '),
      badge: <SupplierStatus status={supplier.status} />,
      crumbs: [{ href: `${at.base}/suppliers`, label: 'Suppliers' }],
      formErrors,
    },
    <SupplierView supplier={supplier}>
      {at.mayChange ? (
        <ActionsCard id="acts" title="What do you want to do?">
          <ExpandableAction title="Edit the details" note="name, rooms, contacts" open={formErrors !== null}>
            <SubmitForm action={here} csrf={csrf} submit="Save supplier" hidden={{ revision: form['revision'] }}>
              <SupplierFields form={form} formErrors={formErrors} />
            </SubmitForm>
          </ExpandableAction>
          <ExpandableAction title="Verify or block" note={`now ${supplier.status}`}>
            <StatusForm supplier={supplier} here={here} csrf={csrf} />
          </ExpandableAction>
        </ActionsCard>
      ) : (
        <Notice>You can view this supplier, but your role does not let you change it.</Notice>
      )}
    </SupplierView>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'suppliers'), page)
}

function sendNewSupplier(
  web: WebServices,
  c: WebContext,
  at: ClientPageContext,
  form: FormValues = {},
  formErrors: FormErrors | null = null,
) {
  const page = renderFormPage({
    title: 'New supplier',
    text: 'Enter what you know. Your assistant can also read the details from a website.',
    crumbs: [{ href: `${at.base}/suppliers`, label: 'Suppliers' }],
    formErrors,
    action: `${at.base}/suppliers/new`,
    csrf: getCsrfToken(web, c),
    submit: 'Add supplier',
    cancel: `${at.base}/suppliers`,
    children: (
      <>
        <AssistantPrompt id="ask-supplier" text="Add the hotel at https://… as a supplier." />
        <SupplierFields form={form} formErrors={formErrors} />
      </>
    ),
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'suppliers'), page)
}

async function sendSuppliers(web: WebServices, c: WebContext) {
  const at = getClientPageContext(web, c, PERMISSIONS)
  const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `suppliers of ${at.client.id}`, ['search', 'kind', 'status'])
  const here = `${at.base}/suppliers`
  const { suppliers, nextCursor } = await listSuppliers(
    { ...at.reading, cursorScope },
    {
      search: filter.search,
      kind: SUPPLIER_KINDS.find((kind) => kind === filter.kind),
      status: SUPPLIER_STATES.all.find((status) => status === filter.status),
      limit: 50,
      cursor,
    },
  )
  const page = renderListPage({
    title: 'Suppliers',
    text: `Hotels, venues and other vendors of ${at.client.name}. Blocked ones are shown only if you filter for them.`,
    actions: at.mayChange ? (
      <LinkButton href={`${here}/new`} tone="primary">
        New supplier
      </LinkButton>
    ) : null,
    search: {
      action: here,
      search: { label: 'Search suppliers', placeholder: 'Name, chain, city or website', value: filter.search },
      filters: [
        { name: 'kind', label: 'Any kind', options: SUPPLIER_KIND_OPTIONS, value: filter.kind },
        buildStatusFilter(SUPPLIER_STATES.all, filter.status),
      ],
    },
    caption: 'Suppliers',
    columns: columns(at.base),
    rows: suppliers,
    empty: { title: 'No suppliers found', text: 'Add one here, or ask your assistant to find hotels and venues near a city.' },
    pages: pageLinks(here, nextCursor),
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'suppliers'), page)
}

/** `/console/clients/:code/suppliers`: the suppliers of a client. */
export function consoleSupplierPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(SUPPLIERS_PATH, (c) => sendSuppliers(web, c))
    .get(`${SUPPLIERS_PATH}/new`, (c) => sendNewSupplier(web, c, getClientPageContextForChange(web, c, PERMISSIONS)))
    .post(`${SUPPLIERS_PATH}/new`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, PERMISSIONS)
      const read = readSupplierForm(form)
      if ('errors' in read) return sendNewSupplier(web, c, at, form, moveLineErrorsToFields(read))
      let id = ''
      const failed = await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'edit_supplier' }, async (ctx) => {
            const typedAt = (await getDatabaseTime(ctx)).toISOString()
            id = (await createSupplierByHand(ctx, toEdit(read.data), typedAt)).id
          }),
        getSupplierFieldLabel,
      )
      return failed
        ? sendNewSupplier(web, c, at, form, moveLineErrorsToFields(failed))
        : c.redirect(`${at.base}/suppliers/${id}?done=saved`, 303)
    })
    .get(PATH, (c) => sendSupplier(web, c, getClientPageContext(web, c, PERMISSIONS)))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, PERMISSIONS)
      const read = readSupplierForm(form)
      if ('errors' in read) return sendSupplier(web, c, at, form, moveLineErrorsToFields(read))
      const supplierId = c.req.param('supplier')
      const failed = await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'edit_supplier' }, async (ctx) =>
            editSupplier(ctx, await lockSupplier(ctx, supplierId), {
              ...toEdit(read.data),
              ifRevision: Number(form['revision']) || undefined,
            }),
          ),
        getSupplierFieldLabel,
      )
      return failed
        ? sendSupplier(web, c, at, form, moveLineErrorsToFields(failed))
        : c.redirect(`${at.base}/suppliers/${supplierId}?done=saved`, 303)
    })
    .post(`${PATH}/status`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, PERMISSIONS)
      const supplierId = c.req.param('supplier')
      const to = SUPPLIER_STATES.all.find((status) => status === form['status'])
      if (!to) throw notFound('There is no such status of a supplier')
      const failed = await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'set_supplier_status' }, (ctx) =>
            setSupplierStatus(ctx, supplierId, to),
          ),
        () => '',
      )
      return failed ? sendSupplier(web, c, at, null, failed) : c.redirect(`${at.base}/suppliers/${supplierId}?done=saved`, 303)
    })
}
