import { NothingHere } from '#components/ui/nothing-here.tsx'

// Inside the frame: a page of the console whose thing does not exist.
export default function Page() {
  return <NothingHere />
}
