import { z } from 'zod'
import { list, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { pageOf } from '../../kernel/page.ts'
import { DIRECTORY_PRESETS, type DirectoryPreset } from './engine/presets.ts'

/** Of one alone, templates and bindings are returned too: they are what a connection starts with. */
export const Preset = z.looseObject({
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

interface Request {
  search?: string | undefined
  limit: number
  cursor?: string | undefined
}

/** They come with the version that runs, not from the database. */
export function listPresets(ctx: EventContext, request: Request) {
  const words = (request.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const rows = DIRECTORY_PRESETS.filter(({ code, name, vendor }) =>
    words.every((word) => `${code} ${name} ${vendor}`.toLowerCase().includes(word)),
  )
  const alone = rows.length === 1
  const { items, ...page } = pageOf(ctx, request, {
    rows,
    shape: alone ? toWholePreset : toPreset,
    pin: VERSION,
    moved: 'the presets have changed since; leave it out to start again',
  })
  const note = [page.note, alone || rows.length === 0 ? null : 'Search for the code of one to see its requests and bindings.']
  return Promise.resolve({ presets: items, ...page, ...(note.some(Boolean) ? { note: note.filter(Boolean).join(' ') } : {}) })
}

const VERSION = DIRECTORY_PRESETS.map(({ code, version }) => `${code} ${version}`).join()
