import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'em comparação com {value} no período anterior',
  'reportFigure.comparedWithEvent': 'em comparação com {value} em {event}',
}
