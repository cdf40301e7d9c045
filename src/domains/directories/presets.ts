import { z } from 'zod'
import { list, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { paginateList } from '../../kernel/page.ts'
import { DIRECTORY_PRESETS, type DirectoryPreset } from './engine/presets.ts'

/** A preset for directory connections in a tool result. If only one is listed, its request templates and field mappings are included. */
export const DirectoryPresetSummary = z.looseObject({
  code: text(),
  name: text(),
  authKind: text(),
  baseUrlHint: text(),
  credentialNames: list(text()),
  inputs: list(text()),
  notes: text(2000),
})

const toPreset = (preset: DirectoryPreset) => ({
  code: preset.code,
  name: preset.name,
  vendor: preset.vendor,
  authKind: preset.authKind,
  baseUrlHint: preset.baseUrlHint,
  credentialNames: preset.credentialNames,
  settings: preset.settingNames,
  inputs: preset.inputs,
  notes: preset.notes,
})

const toWholePreset = (preset: DirectoryPreset) => ({
  ...toPreset(preset),
  defaultRequests: { ...preset.requests },
  defaultBindings: preset.bindings.map((binding) => ({ ...binding })),
})

interface ListRequest {
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** Lists the presets for directory connections. They are part of the code, not of the database. */
export function listPresets(ctx: EventContext, request: ListRequest) {
  const words = (request.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const rows = DIRECTORY_PRESETS.filter(({ code, name, vendor }) =>
    words.every((word) => `${code} ${name} ${vendor}`.toLowerCase().includes(word)),
  )
  const alone = rows.length === 1
  const { items, ...page } = paginateList(ctx, request, {
    rows,
    shape: alone ? toWholePreset : toPreset,
    pin: PRESETS_VERSION,
    moved: 'the presets have changed since; leave the cursor out to start again',
  })
  const note = [page.note, alone || rows.length === 0 ? null : 'Search for a single code to see its requests and bindings.']
  return Promise.resolve({ presets: items, ...page, ...(note.some(Boolean) ? { note: note.filter(Boolean).join(' ') } : {}) })
}

const PRESETS_VERSION = DIRECTORY_PRESETS.map(({ code, version }) => `${code} ${version}`).join()
