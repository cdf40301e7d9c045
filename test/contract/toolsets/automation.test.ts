import { describeContract } from '../contract.ts'

describeContract('automation')
