// The texts of error pages.

interface ErrorText {
  title: string;
  text: string;
}

export interface ErrorTexts {
  statuses: Record<number, ErrorText>;
  /** For other server errors. */
  broken: ErrorText;
  /** For all other statuses. */
  refused: ErrorText;
  /** `when` as in "in 5 minutes". */
  wait(when: string): string;
  tryAgain: string;
  requestId: string;
  home: string;
  signIn: string;
}
