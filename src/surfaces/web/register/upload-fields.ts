import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { listPageWidgets } from '../../../domains/checkout/sent-page.ts'
import { findQuestionRules } from '../../../domains/configuration/flow/answer-rules.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import type { EventSite } from '../event/event-site.ts'
import type { FormUploadTarget } from '../uploads.ts'
import type { RegistrationPageView } from './view.ts'

export const isFileUploadWidget = ({ config }: Pick<RegistrationPageView, 'config'>, widget: Widget): boolean =>
  widget.type === 'headshot' ||
  (widget.type === 'field' && findQuestionRules(config, widget.binding)?.type === 'file') ||
  ((widget.type === 'companyProfile' || widget.type === 'submission') &&
    widget.fields.some((code) => findQuestionRules(config, `@custom.${code}`)?.type === 'file'))

/** Lists the file fields of a page with their limits. */
export function listUploadFields(
  { site, progress }: { site: EventSite; progress: RegistrationProgress },
  code: string,
): Record<string, FormUploadTarget> {
  const { tenantId, config } = site
  const targets: Record<string, FormUploadTarget> = {}
  for (const widget of listPageWidgets(progress, code).filter((one) => isFileUploadWidget({ config }, one))) {
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
