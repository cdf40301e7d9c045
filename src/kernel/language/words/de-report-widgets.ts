import type { Catalogue } from '../translator.ts'

export const reportWidgets: Catalogue = {
  'reportFigure.comparedWithPeriod': 'gegenüber {value} im vorigen Zeitraum',
  'reportFigure.comparedWithEvent': 'gegenüber {value} bei {event}',
}
