import { toDayInZone } from '../../kernel/time.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import { loadFontsForText } from '../fonts/font-parts.ts'
import { createPdfSheet } from '../orders/pdf/sheet.ts'
import { fillClauseVariables } from './clause-text.ts'
import { readContractVersion } from './contracts.ts'
import { formatEnglishDay } from './english.ts'
import type { ContractRow, ContractVersionRow } from './tables.ts'

type DocumentScope = Pick<HousingContext, 'db' | 'tenantId' | 'event' | 'client'>

/** The content of a contract document for one version: parties, number, and clauses with their variables filled in. */
export interface ContractDocument {
  title: string
  /** The lines that name the parties and the event. */
  lines: string[]
  clauses: { key: string; heading: string; text: string }[]
  createdAt: Date
}

export const formatClauseHeading = (index: number, title: string) => `${index + 1}. ${title}`

/** Reads a version of a contract for a document; the current one if no number is given. */
export async function readContractDocument(ctx: DocumentScope, contract: ContractRow, n?: number): Promise<ContractDocument> {
  const [version, supplier] = await Promise.all([
    readContractVersion(ctx, contract, n),
    tenantDb(ctx)
      .selectFrom('suppliers')
      .select(['name', 'address'])
      .where('client_id', '=', contract.client_id)
      .where('id', '=', contract.supplier_id)
      .executeTakeFirstOrThrow(),
  ])
  const { street, postalCode, city, country } = supplier.address as Record<string, string | undefined>
  const address = [street, [postalCode, city].filter(Boolean).join(' '), country].filter(Boolean).join(', ')
  return {
    title: `Contract ${contract.number}`,
    lines: [
      `Client: ${ctx.client.name}`,
      `Supplier: ${supplier.name}${address === '' ? '' : `, ${address}`}`,
      `Event: ${ctx.event.name}`,
      `Version ${version.n} of ${formatEnglishDay(toDayInZone(ctx.event.timezone, version.created_at))}`,
    ],
    clauses: describeClauses(version),
    createdAt: version.created_at,
  }
}

const describeClauses = ({ clauses }: ContractVersionRow) =>
  clauses.map((clause, index) => ({
    key: clause.key,
    heading: formatClauseHeading(index, clause.title),
    text: fillClauseVariables(clause),
  }))

/** Renders a version of a contract as PDF. The output is deterministic. */
export async function renderContractPdf(ctx: DocumentScope, contract: ContractRow, n?: number): Promise<Buffer> {
  const { title, lines, clauses, createdAt } = await readContractDocument(ctx, contract, n)
  const all = [title, ...lines, ...clauses.flatMap(({ heading, text }) => [heading, text])].join('\n')
  const sheet = await createPdfSheet({
    title,
    author: ctx.client.name,
    language: 'en',
    createdAt,
    fonts: await loadFontsForText(all),
    foot: (page, pages) => `${title} · Page ${page} of ${pages}`,
  })
  sheet.text(title, { as: 'H1', size: 20, bold: true })
  sheet.space(8)
  for (const line of lines) sheet.text(line)
  sheet.space(4)
  sheet.rule()
  for (const { heading, text } of clauses) {
    sheet.space(10)
    sheet.text(heading, { as: 'H2', size: 12, bold: true })
    sheet.space(2)
    sheet.text(text)
  }
  return sheet.end()
}
