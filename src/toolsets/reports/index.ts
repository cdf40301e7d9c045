import { toolset } from '../../kernel/tool.ts'
import describeData from './describe-data.ts'
import queryData from './query-data.ts'

export default toolset('reports', [describeData, queryData])
