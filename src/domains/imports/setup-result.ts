import type { EventContext } from '../../kernel/context.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { getFile } from '../files/files.ts'
import { createFileLinkBuilder } from '../files/links.ts'
import { findImportProgress, type ImportRunRow, listRunsOfImportSetup, toImportRunSummary } from './runs.ts'
import { findMissingConfigItems } from './setup-parts.ts'
import { getImportSetup, type PreparedImportSetup, saveImportSetup, type ImportSetupRequest, type ImportSetupRow } from './setups.ts'

/** Creates, changes or reads an import setup, and returns its proposed mapping, open questions and past runs. */
export async function setUpImport(ctx: EventContext, request: ImportSetupRequest, prepared: PreparedImportSetup | null) {
  const setup = prepared ? await saveImportSetup(ctx, request, prepared) : await getImportSetup(ctx, request.setupId!)
  return toSetupResult(ctx, setup)
}

const LINK_SECONDS = 3600

async function toSetupResult(ctx: EventContext, setup: ImportSetupRow) {
  const { config, facts } = await readDraftConfiguration(ctx)
  const { sheets, joins, questions } = setup.proposal
  const shows = ctx.permissions.has('personal.read')
  const missing = findMissingConfigItems(config, { sheets, flowSlug: setup.flow_slug, values: setup.answers.values })
  return {
    setupId: setup.id,
    revision: setup.revision,
    status: setup.status,
    sourceSystem: setup.source_system,
    sheets: sheets.map(({ name, kind, rows, header, columns }) => ({
      name,
      kind,
      rows,
      header,
      columns: columns.map(({ name: column, samples, field, score, confidence, unmappedValues }) => ({
        name: column,
        ...(shows ? { samples } : {}),
        field,
        score,
        confidence,
        unmappedValues,
      })),
    })),
    joins,
    questions,
    wouldCreate: {
      ...(missing.flow === null ? {} : { flow: missing.flow }),
      customFields: missing.customFields.map(({ code, name, responseType, choices }) => ({
        code,
        name,
        responseType,
        choices: choices.length,
      })),
      products: missing.products,
      tags: missing.tags,
    },
    runs: await shownRuns(ctx, setup, await listRunsOfImportSetup(ctx, setup.id), facts.currency, shows),
  }
}

async function shownRuns(ctx: EventContext, setup: ImportSetupRow, runs: readonly ImportRunRow[], currency: string, shows: boolean) {
  const link = runs.some(({ error_file_id }) => error_file_id !== null) && shows ? await createFileLinkBuilder(ctx, LINK_SECONDS) : null
  return Promise.all(
    runs.map(async (run) => {
      const file = run.error_file_id === null || !link ? undefined : link(await getFile(ctx, { fileId: run.error_file_id }))
      const { errorRows, ...summary } = toImportRunSummary(run, currency, file)
      const progress = findImportProgress(run, setup)
      return {
        ...summary,
        ...(progress ? { progress } : {}),
        errorRows: shows ? errorRows : errorRows.map((row) => ({ ...row, value: '***' })),
      }
    }),
  )
}
