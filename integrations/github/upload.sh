#!/bin/sh
# The step of action.yml: uploads, and writes the outputs and the summary of the job.
set -eu
set -- "$TAXIWAY_FILE"
[ -z "$TAXIWAY_CHANNEL" ] || set -- "$@" --channel "$TAXIWAY_CHANNEL"
[ -z "$TAXIWAY_NOTES" ] || set -- "$@" --notes "$TAXIWAY_NOTES"
[ -z "$TAXIWAY_NOTES_FILE" ] || set -- "$@" --notes-file "$TAXIWAY_NOTES_FILE"

folder=$(mktemp -d "$RUNNER_TEMP/taxiway.XXXXXX")
curl -fsSL --max-redirs 0 --retry 3 --retry-connrefused -o "$folder/upload.sh" "${TAXIWAY_URL%/}/cli/upload.sh"
sh "$folder/upload.sh" "$@" --outputs "$folder/outputs" --qr-image "$folder/qr.png"
cat "$folder/outputs" >>"$GITHUB_OUTPUT"

value() { sed -n "s/^$1=//p" "$folder/outputs"; }
printf '### %s\n\n[Install](%s) · [Build](%s)\n' 'Uploaded to Taxiway' "$(value install_url)" "$(value build_url)" >>"$GITHUB_STEP_SUMMARY"
