import type { Progress } from '../../../domains/checkout/progress.ts'
import { widgetsOn } from '../../../domains/checkout/sent-page.ts'
import { rulesOf } from '../../../domains/configuration/flow/values.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import type { Place } from '../event/place.ts'
import type { UploadTarget } from '../uploads.ts'
import type { View } from './view.ts'

export const takesFile = ({ config }: Pick<View, 'config'>, widget: Widget): boolean =>
  widget.type === 'headshot' ||
  (widget.type === 'field' && rulesOf(config, widget.binding)?.type === 'file') ||
  ((widget.type === 'companyProfile' || widget.type === 'submission') &&
    widget.fields.some((code) => rulesOf(config, `@custom.${code}`)?.type === 'file'))

/** The files that a page may be sent with, and what they may be. */
export function uploadsOn({ place, progress }: { place: Place; progress: Progress }, code: string): Record<string, UploadTarget> {
  const { tenantId, config } = place
  const targets: Record<string, UploadTarget> = {}
  for (const widget of widgetsOn(progress, code).filter((one) => takesFile({ config }, one))) {
    if (widget.type === 'headshot') targets['@participant.headshot'] = { tenantId, purpose: 'headshot', maxBytes: widget.maxBytes }
    const bindings =
      widget.type === 'field'
        ? [widget.binding]
        : widget.type === 'companyProfile' || widget.type === 'submission'
          ? widget.fields.map((one) => `@custom.${one}`)
          : []
    for (const binding of bindings) {
      const field = config.customFields.find((one) => binding === `@custom.${one.code}`)
      if (binding === '@participant.headshot') targets[binding] = { tenantId, purpose: 'headshot' }
      else if (field?.responseType === 'file')
        targets[binding] = {
          tenantId,
          purpose: 'answer',
          maxBytes: field.maxBytes,
          ...(field.accept.length > 0 ? { accept: field.accept } : {}),
        }
    }
  }
  return targets
}
