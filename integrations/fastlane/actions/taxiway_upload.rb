# A fastlane action that uploads a package to Taxiway. Copy it to fastlane/actions, and call it in a lane:
#
#   build_app(export_method: "ad-hoc")
#   taxiway_upload(channel: "beta")
require 'open3'
require 'tmpdir'

module Fastlane
  module Actions
    module SharedValues
      TAXIWAY_BUILD_ID = :TAXIWAY_BUILD_ID
      TAXIWAY_BUILD_URL = :TAXIWAY_BUILD_URL
      TAXIWAY_INSTALL_URL = :TAXIWAY_INSTALL_URL
      TAXIWAY_RELEASE_ID = :TAXIWAY_RELEASE_ID
      TAXIWAY_QR_URL = :TAXIWAY_QR_URL
      TAXIWAY_QR_IMAGE = :TAXIWAY_QR_IMAGE
    end

    class TaxiwayUploadAction < Action
      def self.run(params)
        folder = Dir.mktmpdir('taxiway')
        script = File.join(folder, 'upload.sh')
        outputs = File.join(folder, 'outputs')
        words = [params[:file], '--outputs', outputs, '--qr-image', File.join(folder, 'qr.png')]
        words += ['--channel', params[:channel]] unless params[:channel].to_s.empty?
        words += ['--notes', params[:notes]] if params[:notes]
        words += ['--notes-file', params[:notes_file]] if params[:notes_file]
        # The token is a variable of the process, so that it's on no command line and in no log of fastlane.
        env = { 'TAXIWAY_URL' => params[:server], 'TAXIWAY_TOKEN' => params[:token] }
        execute({}, 'curl', '-fsSL', '--max-redirs', '0', '--retry', '3', '--retry-connrefused', '-o', script,
                "#{params[:server].chomp('/')}/cli/upload.sh")
        execute(env, 'sh', script, *words)
        File.readlines(outputs, chomp: true).each do |line|
          name, value = line.split('=', 2)
          lane_context[SharedValues.const_get("TAXIWAY_#{name.upcase}")] = value
        end
        lane_context[SharedValues::TAXIWAY_INSTALL_URL]
      end

      def self.execute(env, *command)
        Open3.popen2e(env, *command) do |input, output, process|
          input.close
          output.each_line { |line| UI.message(line.chomp) }
          UI.user_error!("The upload to Taxiway failed") unless process.value.success?
        end
      end

      def self.description
        'Uploads an .ipa or .apk to Taxiway, and releases it to a channel'
      end

      def self.available_options
        [
          FastlaneCore::ConfigItem.new(key: :server, env_name: 'TAXIWAY_URL', description: 'Address of the server'),
          FastlaneCore::ConfigItem.new(key: :token, env_name: 'TAXIWAY_TOKEN', description: 'Access token', sensitive: true),
          FastlaneCore::ConfigItem.new(key: :file, env_name: 'TAXIWAY_FILE', description: 'Path of the package',
                                       default_value: lane_context[:IPA_OUTPUT_PATH] || lane_context[:GRADLE_APK_OUTPUT_PATH],
                                       default_value_dynamic: true),
          FastlaneCore::ConfigItem.new(key: :channel, env_name: 'TAXIWAY_CHANNEL', description: 'Channel to release to', optional: true),
          FastlaneCore::ConfigItem.new(key: :notes, env_name: 'TAXIWAY_NOTES', description: 'Release notes', optional: true),
          FastlaneCore::ConfigItem.new(key: :notes_file, env_name: 'TAXIWAY_NOTES_FILE', description: 'File with the release notes, instead of notes',
                                       optional: true)
        ]
      end

      def self.output
        SharedValues.constants.grep(/^TAXIWAY_/).map { |name| [name.to_s, 'Result of the upload'] }
      end

      def self.return_value
        'The address of the install page'
      end

      def self.authors
        ['Taxiway']
      end

      def self.is_supported?(platform)
        %i[ios android].include?(platform)
      end
    end
  end
end
