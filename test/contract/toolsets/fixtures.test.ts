import { describeContract } from '../contract.ts'

describeContract('fixtures')
