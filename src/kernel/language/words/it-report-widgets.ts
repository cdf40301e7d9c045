import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'rispetto a {value} nel periodo precedente',
  'reportFigure.comparedWithEvent': 'rispetto a {value} per {event}',
}
