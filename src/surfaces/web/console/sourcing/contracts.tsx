import { createFile } from '../../../../domains/files/files.ts'
import { getContract } from '../../../../domains/supplier-contracts/contracts.ts'
import { readContractDocument, renderContractPdf } from '../../../../domains/supplier-contracts/document.ts'
import { DOCX_MIME_TYPE, writeContractDocx } from '../../../../domains/supplier-contracts/docx-write.ts'
import { readUploadedFile } from '../../../../domains/supplier-contracts/files.ts'
import { listContracts } from '../../../../domains/supplier-contracts/list.ts'
import {
  applyAndSendCounterProposal,
  readContractNegotiation,
  resolveClauseByPlaybook,
} from '../../../../domains/supplier-contracts/negotiation.ts'
import { markReadyForSignature, prepareFinalContractPdf } from '../../../../domains/supplier-contracts/ready.ts'
import { markRedlinesReceived } from '../../../../domains/supplier-contracts/redlines.ts'
import { resolveClause } from '../../../../domains/supplier-contracts/resolve.ts'
import { submitContract } from '../../../../domains/supplier-contracts/send.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { StatusDot, type TableColumn } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../../uploads.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, createInvalidFormError, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ContractPageContent, CONTRACT_STATUS_COLOURS, ContractStatus, ContractSummary, formatContractState } from './contract-parts.tsx'

export const CONTRACTS_PATH = `${CONSOLE_EVENT_PATH}/contracts`
const PATH = `${CONTRACTS_PATH}/:contract`
const MAX_FILE_BYTES = 20 * 1024 * 1024

type Summary = Awaited<ReturnType<typeof listContracts>>['contracts'][number]

const columns = (base: string): TableColumn<Summary>[] => [
  {
    label: 'Contract',
    lead: true,
    cell: ({ id, number, supplier }) => (
      <>
        <a href={`${base}/contracts/${id}`} dir="auto">
          {supplier.name}
        </a>
        <div class="muted">{number}</div>
      </>
    ),
  },
  {
    label: 'Status',
    twoLine: 'mark',
    cell: ({ status }) => (
      <StatusDot tone={CONTRACT_STATUS_COLOURS[status]} hollow={status === 'draft'}>
        {formatContractState(status)}
      </StatusDot>
    ),
  },
  {
    label: 'Version',
    number: true,
    twoLine: 'detail',
    cell: ({ number, version }) => (
      <>
        <span class="narrow-only">{number}, version </span>
        {version}
      </>
    ),
  },
  {
    label: 'Open clauses',
    number: true,
    twoLine: 'below',
    cell: ({ openClauses, highRisk }) =>
      openClauses > 0 ? (
        <>
          {openClauses}
          <span class="narrow-only">
            {openClauses === 1 ? ' open clause' : ' open clauses'}
            {highRisk > 0 ? `, ${highRisk} high risk` : ''}
          </span>
        </>
      ) : (
        ''
      ),
  },
  { label: 'High risk', number: true, cell: ({ highRisk }) => highRisk || '' },
  { label: 'Committed', number: true, twoLine: 'figure', cell: ({ committed }) => formatAmountWithCurrency(committed) },
]

async function sendContractPage(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors | null) {
  const view = await readContractNegotiation(at.reading, c.req.param('contract') ?? '')
  const csrf = at.permissions.has('sourcing.write') ? getCsrfToken(web, c) : null
  const { number, supplier } = view.detail
  const here = `${at.base}/contracts/${view.row.id}`
  const page = renderContentPage(
    {
      title: `Contract ${number}, ${at.event.name}`,
      heading: `${number}, ${supplier.name}`,
      badge: <ContractStatus view={view} />,
      text: <ContractSummary view={view} />,
      actions: (
        <>
          <LinkButton href={`${here}/contract.docx`}>Word</LinkButton>
          <LinkButton href={`${here}/contract.pdf`}>PDF</LinkButton>
        </>
      ),
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/contracts`, label: 'Contracts' },
      ],
      formErrors,
    },
    <ContractPageContent view={view} here={here} csrf={csrf} />,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'contracts'), page)
}

const LABELS: Record<string, string> = { note: 'Note', document: 'Word file' }
const labelOf = (path: string) => LABELS[path] ?? ''

/** Applies the decision of the pressed button to a clause. */
function decide(ctx: EventContext, contractId: string, form: FormValues) {
  const key = form['key'] ?? ''
  const note = (form['note'] ?? '').trim().slice(0, 2000) || undefined
  if (form['decision'] === 'counter') return resolveClauseByPlaybook(ctx, contractId, key, note)
  const decision = form['decision'] === 'accept' ? 'accept' : form['decision'] === 'reopen' ? 'reopen' : 'reject'
  return resolveClause(ctx, { contractId, key, decision, note })
}

async function uploadRedlines(web: WebServices, c: WebContext) {
  const at = await getEventPageContext(web, c, 'sourcing.write')
  const { id } = await getContract(at.reading, c.req.param('contract') ?? '')
  const { tenantId } = at.session
  const sent = await readFormWithFiles(web, c, {
    document: { tenantId, purpose: 'contract', accept: [DOCX_MIME_TYPE], maxBytes: MAX_FILE_BYTES },
  })
  if (!sent) throw createInvalidFormError(web, c)
  const upload = sent.files[0]?.upload
  if (!upload)
    return sendContractPage(web, c, at, {
      errors: sent.refused.length > 0 ? sent.refused : [{ path: 'document', message: 'Choose the Word file with the changes.' }],
    })
  const failed = await catchFormErrors(async () => {
    const written = await readUploadedFile(web.services.files, upload)
    await commitThenDeleteUnusedUploads(web, { tenantId }, sent.files, () =>
      runEventChange(web, at, 'mark_contract_redlines_received', async (ctx) => {
        await createFile(ctx, upload, { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'contract', id } })
        await markRedlinesReceived(ctx, { contractId: id }, written)
        return { deletedFiles: [] }
      }),
    )
  }, labelOf)
  return failed ? sendContractPage(web, c, at, failed) : c.redirect(`${at.base}/contracts/${id}?done=saved`, 303)
}

/** Makes the text of a contract final for signing. The PDF is rendered and stored before the contract's database row is locked. */
async function prepareForSignature(web: WebServices, c: WebContext) {
  const form = await requireConsoleForm(web, c)
  const at = await getEventPageContext(web, c, 'sourcing.write')
  const { id } = await getContract(at.reading, c.req.param('contract') ?? '')
  const input = { contractId: id, acceptAll: form['acceptAll'] === 'on' }
  const failed = await catchFormErrors(async () => {
    const { database, files, log } = web.services
    const document = await prepareFinalContractPdf({ ...at.reading, db: database.write, files, log, isDryRun: false }, input)
    await runEventChange(web, at, 'mark_contract_ready_for_signature', (ctx) => markReadyForSignature(ctx, input, document))
  }, labelOf)
  return failed ? sendContractPage(web, c, at, failed) : c.redirect(`${at.base}/contracts/${id}?done=saved`, 303)
}

const download = (c: WebContext, name: string, mime: string, content: Buffer) =>
  c.body(new Uint8Array(content), 200, {
    'content-type': mime,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })

/** `…/contracts`: the contracts of an event, each with its clauses, redlines and counterproposals. */
export function contractPages(web: WebServices) {
  const changing =
    (action: string, run: (ctx: EventContext, contractId: string, form: FormValues) => Promise<unknown>) => async (c: WebContext) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'sourcing.write')
      const { id } = await getContract(at.reading, c.req.param('contract') ?? '')
      const failed = await catchFormErrors(() => runEventChange(web, at, action, (ctx) => run(ctx, id, form)), labelOf)
      return failed ? sendContractPage(web, c, at, failed) : c.redirect(`${at.base}/contracts/${id}?done=saved`, 303)
    }
  return createConsoleRouter(web)
    .get(CONTRACTS_PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'sourcing.read')
      const { cursor, cursorScope, pageLinks } = readListQuery(c, `contracts of ${at.event.id}`, [])
      const found = await listContracts({ ...at.reading, cursorScope }, { limit: 50, cursor })
      const page = renderListPage({
        title: `Contracts of ${at.event.name}`,
        heading: 'Contracts',
        text: 'Contracts with hotels and venues, from draft to signature.',
        crumbs: [{ href: at.base, label: at.event.name }],
        caption: 'Contracts with suppliers, by number',
        columns: columns(at.base),
        rows: found.contracts,
        empty: {
          title: 'No contracts yet',
          ask: 'What is left to do before we can award our request for proposal and create the contract?',
          text: (
            <>
              A contract is created from an award. Awards are made on the page of an <a href={`${at.base}/rfps`}>RFP</a>.
            </>
          ),
        },
        pages: pageLinks(`${at.base}/contracts`, found.nextCursor),
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'contracts'), page)
    })
    .get(PATH, async (c) => sendContractPage(web, c, await getEventPageContext(web, c, 'sourcing.read')))
    .get(`${PATH}/contract.pdf`, async (c) => {
      const { reading } = await getEventPageContext(web, c, 'sourcing.read')
      const contract = await getContract(reading, c.req.param('contract'))
      const name = `${contract.number}-version-${contract.current_version}.pdf`
      return download(c, name, 'application/pdf', await renderContractPdf(reading, contract))
    })
    .get(`${PATH}/contract.docx`, async (c) => {
      const { reading } = await getEventPageContext(web, c, 'sourcing.read')
      const contract = await getContract(reading, c.req.param('contract'))
      const name = `${contract.number}-version-${contract.current_version}.docx`
      return download(c, name, DOCX_MIME_TYPE, await writeContractDocx(await readContractDocument(reading, contract)))
    })
    .post(`${PATH}/clause`, changing('resolve_clause', decide))
    .post(
      `${PATH}/submit`,
      changing('submit_contract_to_supplier', (ctx, contractId) => submitContract(ctx, { contractId })),
    )
    .post(`${PATH}/send`, changing('send_contract_counter', applyAndSendCounterProposal))
    .post(`${PATH}/redlines`, (c) => uploadRedlines(web, c))
    .post(`${PATH}/ready`, (c) => prepareForSignature(web, c))
}
